/* @rows: fun.copyinto fault.badaddr */
/* @sonde: -q -c /bin/true */
/* @stderr: invalid address (0x8) */
/* the destination must be scratch */
syscall::exit_group:entry
{
	copyinto(uregs[R_RSP], 1, (void *)8);
	printf("never seen\n");
}

ERROR { printf("%x\n", arg5); exit(0); }
