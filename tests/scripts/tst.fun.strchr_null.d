/* @rows: fun.strchr fun.null_argument */
/* @stderr: invalid address (0x0) */
BEGIN { trace(strchr(NULL, 'a')); }
ERROR { printf("%d %x\n", arg4 == DTRACEFLT_BADADDR, arg5); exit(0); }
