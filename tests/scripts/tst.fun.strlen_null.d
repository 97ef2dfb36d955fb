/* @rows: fun.strlen fun.null_argument */
/* @stderr: invalid address (0x0) in action #1 */
BEGIN { trace(strlen(NULL)); }
ERROR { exit(0); }
