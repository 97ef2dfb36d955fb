/* @rows: agg.key_integer */
/* an enumerator is a key by its number */
enum colour { RED, GREEN = 7 };

BEGIN
{
	@[GREEN] = count(); @[RED] = count(); @[GREEN] = count();
	printa("%d %@d\n", @);
	exit(0);
}
