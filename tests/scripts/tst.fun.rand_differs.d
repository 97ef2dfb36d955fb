/* @rows: fun.rand */
/* calls differ, also within a clause; the values are ints that are not negative */
BEGIN
{
	a = rand(); b = rand(); c = rand();
	printf("%d %d\n", a != b || b != c, a >= 0 && b >= 0 && c >= 0);
	exit(0);
}
