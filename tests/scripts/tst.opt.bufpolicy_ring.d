/* @rows: opt.bufpolicy_ring */
/* @sonde: -q -x bufpolicy=ring -x bufsize=4k */
/* the newest records stay, and are printed at the end; exit() and aggregations do not wait */
BEGIN { printf("the oldest is gone\n"); @sum = sum(1); }
BEGIN { printf("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s2\n", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"); @sum = sum(2); }
BEGIN { printf("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s3\n", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"); @sum = sum(4); }
BEGIN { exit(0); }
END { printa("END %@d\n", @sum); }
