/* @rows: act.raise fault.illop */
/* @sonde: -q -w -c /bin/true */
/* @stderr: illegal operation */
/* no such signal */
syscall::exit_group:entry { raise(1000); }
ERROR { printf("%d\n", arg4 == DTRACEFLT_ILLOP); exit(0); }
