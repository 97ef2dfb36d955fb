/* @rows: agg.key_integer */
/* pointers are keys */
BEGIN
{
	@[(void *)0x1000] = count();
	@[(void *)0x2000] = count();
	@[(void *)0x1000] = count();
	printa("%p %@d\n", @);
	exit(0);
}
