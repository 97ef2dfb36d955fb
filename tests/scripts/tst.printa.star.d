/* @rows: printa.star */
/* A * of printa takes its number from the next key. */

BEGIN
{
	@a[7, 30] = sum(2);
	printa("[%*d]\n", @a);
	@b[-4, 3, "text"] = sum(2);
	printa("[%*@d][%.*s]\n", @b);
	exit(0);
}
