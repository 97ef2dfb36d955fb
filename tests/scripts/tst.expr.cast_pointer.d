/* @rows: expr.cast type.pointer */
/* The same bytes as another type. */
BEGIN
{
	p = (int *)alloca(4); *p = 0x04030201;
	c = (char *)p; s = (short *)(c + 2);
	printf("%d %d %d\n", c[0], c[3], *s);
	exit(0);
}
