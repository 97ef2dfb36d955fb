/* @rows: fmt.printa_keys */
/* keys by all kinds of conversions */
BEGIN
{
	@[65, "a\tb", (char)66, 255] = count();
	printa("%c %S %c %x\n", @);
	printa("%5d|%-6s|%d|%08x\n", @);
	printa("%.1d|%.1s|%3c|%#o\n", @);
	exit(0);
}
