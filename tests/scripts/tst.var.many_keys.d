/* @rows: var.many_keys */
/* Nine keys. */
BEGIN
{
	a[1, 2, 3, 4, 5, 6, 7, 8, 9] = 4;
	printf("%d %d\n", a[1, 2, 3, 4, 5, 6, 7, 8, 9], a[1, 2, 3, 4, 5, 6, 7, 8, 17]);
	exit(0);
}
