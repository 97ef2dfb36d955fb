/* @rows: act.copyout fault.badaddr */
/* @sonde: -q -w -c /bin/true */
/* @stderr: invalid address (0x10) */
syscall::exit_group:entry { copyout("ab", 16, 2); }
ERROR { printf("%x\n", arg5); exit(0); }
