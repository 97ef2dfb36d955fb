/* @rows: fmt.printa_several */
/* without keys there is one line */
BEGIN
{
	@n = count(); @s = sum(20); @a = avg(7); @m = min(3);
	printa("%@d %@d %@d %@d\n", @n, @s, @a, @m);
	exit(0);
}
