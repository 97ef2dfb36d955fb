/* @rows: fmt.printa_several */
/* %@ takes the next aggregation; the last serves when there are no more */
BEGIN
{
	@a["k"] = sum(1); @b["k"] = sum(2); @b["j"] = sum(3);
	printa("%s %@d %@d\n", @a, @b);
	printa("%s %@d %@d %@d\n", @a, @b);
	printa("%s %@d\n", @a, @b);
	exit(0);
}
