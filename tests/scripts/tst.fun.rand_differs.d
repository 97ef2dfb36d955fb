/* @rows: fun.rand */
/* calls differ, also within a clause; the values are ints */
BEGIN
{
	a = rand(); b = rand(); c = rand();
	printf("%d %d\n", a != b || b != c, sizeof (a) == 4);
	exit(0);
}
