/* @rows: fun.link_ntop fault.illop */
/* @stderr: illegal operation */
BEGIN { trace(link_ntop(77, alloca(20))); }
ERROR { printf("%d\n", arg4 == DTRACEFLT_ILLOP); exit(0); }
