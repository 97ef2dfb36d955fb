/* @rows: fun.strtok fun.null_argument */
/* @stderr: invalid address (0x0) */
/* the state lives for the firing: in the next one there is nothing to go on with */
BEGIN { printf("%s\n", strtok("a b", " ")); }
tick-100hz { printf("%s\n", strtok(NULL, " ")); }
ERROR { exit(0); }
