/* @rows: fault.badindex var.array_bounds */
/* @sonde: -q */
/* @stderr: index out of bounds */
/* an index outside of an array */
int a[4];

BEGIN
{
	i = 9;
}

BEGIN
{
	a[i] = 1;
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("fault %d, index %d\n", arg4, arg5);
}
