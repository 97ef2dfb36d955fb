/* @rows: fmt.at fmt.printa_keys fmt.printa_no_value */
/* keys in order, fewer than there are is fine; %@ with flags and width; a format without a value */
BEGIN
{
	@a["one", 1, 'c'] = sum(10);
	@a["two", 2, 'd'] = sum(200);
	printa("%s %d %c %@d\n", @a);
	printa("%-6s|%@-6d|%@06d|%@x|%@#o\n", @a);
	printa("%@5d %5s|\n", @a);
	printa("%s\n", @a);
	printa("plain\n", @a);
	exit(0);
}
