/* @rows: fun.copyinstr fault.badaddr */
/* @sonde: -q -c /bin/true */
/* @stderr: invalid address (0x20) */
syscall::exit_group:entry
{
	printf("never seen: %s\n", copyinstr(0x20));
}

ERROR { printf("%x\n", arg5); exit(0); }
