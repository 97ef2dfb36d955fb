/* @rows: opt.bufpolicy_ring */
/* @sonde: -q -x bufpolicy=ring -x bufsize=4k */
/* the newest records stay, and are printed at the end; exit() and aggregations do not wait */
BEGIN { printf("the oldest is gone\n"); @sum = sum(1); }
BEGIN { printf("%4000d\n", 2); @sum = sum(2); }
BEGIN { printf("%4000d\n", 3); @sum = sum(4); }
BEGIN { exit(0); }
END { printa("END %@d\n", @sum); }
