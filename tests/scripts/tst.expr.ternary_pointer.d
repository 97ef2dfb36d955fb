/* @rows: expr.ternary type.pointer */
/* Pointers as arms. */
BEGIN
{
	p = (int *)alloca(8); *p = 7; n = 1;
	printf("%d %d\n", *(n ? p : NULL), (n ? NULL : p) == NULL);
	exit(0);
}
