/* @rows: type.pointer type.pointer_difference */
/* Steps of the size of what is pointed to. */
BEGIN
{
	p = (short *)alloca(16);
	q = p + 3; *q = 9;
	printf("%d %d %d %d\n", q - p, *(2 + p + 1), (uintptr_t)q - (uintptr_t)p, q[0]);
	exit(0);
}
