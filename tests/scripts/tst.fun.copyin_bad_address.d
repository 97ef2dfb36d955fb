/* @rows: fun.copyin fault.badaddr */
/* @sonde: -q -c /bin/true */
/* @stderr: invalid address (0x10) */
syscall::exit_group:entry
{
	this->p = copyin(16, 4);
	tracemem(this->p, 4);
}

ERROR { printf("%d %x\n", arg4 == DTRACEFLT_BADADDR, arg5); exit(0); }
