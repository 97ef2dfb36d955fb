/* @rows: expr.pointer_compare */
/* Pointers of one type, void * and 0. */
BEGIN
{
	p = (int *)alloca(16); v = (void *)p; q = p + 1;
	printf("%d %d %d %d %d\n", p == v, p < q, q >= p, p != NULL, v == 0);
	exit(0);
}
