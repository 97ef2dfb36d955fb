/* @rows: fault.badaddr fault.args */
/* @sonde: -q */
/* @stderr: invalid address (0x10) */
/* a NULL string, and a load from nowhere */
string unset[int];

BEGIN
{
	trace(unset[0]);
}

BEGIN
{
	trace(*(int *)16);
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("fault %d at %d\n", arg4, arg5);
}
