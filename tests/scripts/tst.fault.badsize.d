/* @rows: fault.badsize */
/* @sonde: -q -c true */
/* @stderr: invalid size (0x77359400) in action #2 */
/* more than there is scratch memory */
syscall::exit_group:entry
{
	this->n = arg0 + 2000000000;
	tracemem(copyin(arg1, this->n), 1);
}

ERROR
{
	printf("fault %d, size %d\n", arg4, arg5);
}
