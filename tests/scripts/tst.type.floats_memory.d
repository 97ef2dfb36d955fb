/* @rows: type.floats expr.deref */
/* A float in memory is copied as it is. */
BEGIN
{
	p = (float *)alloca(8);
	q = (int *)p;
	*q = 0x3fc00000;
	p[1] = *p;
	printf("%f %f %x\n", *p, p[1], q[1]);
	exit(0);
}
