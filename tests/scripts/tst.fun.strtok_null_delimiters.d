/* @rows: fun.strtok fun.null_argument */
/* @stderr: invalid address (0x0) */
BEGIN { trace(strtok("a b", NULL)); }
ERROR { exit(0); }
