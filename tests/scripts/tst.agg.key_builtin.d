/* @rows: agg.key_string */
/* built-in variables are keys */
BEGIN
{
	@[probeprov, probename] = count();
	@n[id] = count();
	printa("%s %s %@d\n", @);
	printa("%d %@d\n", @n);
	exit(0);
}
