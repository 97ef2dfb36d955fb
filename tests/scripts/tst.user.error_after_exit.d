/* @sonde: -q */
/* @stderr: invalid address (0x10) */
/* ERROR fires for a fault although a later clause of the same firing exits */
ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}

BEGIN
{
	trace(*(int *)0x10);
}

BEGIN
{
	exit(0);
}
