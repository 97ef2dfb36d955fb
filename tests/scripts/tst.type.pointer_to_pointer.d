/* @rows: type.pointer */
/* A pointer to a pointer. */
BEGIN
{
	p = (int *)alloca(8); *p = 5;
	q = (int **)alloca(8); *q = p;
	**q = 6;
	printf("%d %d\n", *p, (*q)[0]);
	exit(0);
}
