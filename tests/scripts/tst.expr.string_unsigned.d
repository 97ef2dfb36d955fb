/* @rows: expr.string_compare */
/* Bytes above 127 are greater than letters. */
BEGIN
{
	printf("%d %d %d\n", "\377" > "z", "a" < "aa", "B" < "a");
	exit(0);
}
