/* @rows: fault.badsize */
/* @sonde: -q -c true */
/* @stderr: invalid size (0x77359400) in action #1 */
/* more than there is scratch memory */
int n;

BEGIN
{
	n = 2000000000;
}

syscall::exit_group:entry
{
	tracemem(copyin(arg1, n), 1);
}

ERROR
{
	printf("fault %d, size %d\n", arg4, arg5);
}
