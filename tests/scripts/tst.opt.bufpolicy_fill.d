/* @rows: opt.bufpolicy_fill drop.principal */
/* @sonde: -q -x bufpolicy=fill -x bufsize=4k -x droptags */
/* @stderr: [DTRACEDROP_PRINCIPAL] 2 drops on CPU */
/* a string takes all that it may have; once a record does not fit no later one is kept, END's are */
BEGIN { printf("first\n"); }
BEGIN { printf("second\n"); }
BEGIN { printf("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s\n", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"); }
BEGIN { printf("fourth\n"); }
BEGIN { exit(0); }
END { printf("END\n"); }
