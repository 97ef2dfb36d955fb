/* @rows: expr.incdec_pointer */
/* A pointer moves by what it points to; op= too. */
BEGIN
{
	p = (int *)alloca(16); q = p;
	q++; *q = 5; q += 2; *q = 7; q--;
	printf("%d %d %d %d\n", p[1], p[3], q - p, *++q);
	exit(0);
}
