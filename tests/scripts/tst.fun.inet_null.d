/* @rows: fun.inet_ntoa fun.null_argument */
/* @stderr: invalid address (0x0) */
BEGIN { trace(inet_ntoa(NULL)); }
ERROR { printf("%d\n", arg4 == DTRACEFLT_BADADDR); exit(0); }
