/* @rows: fmt.printa_several fmt.at */
/* the last aggregation stands for all conversions that follow */
BEGIN
{
	@a["k"] = sum(7);
	@b["k"] = sum(9);
	printa("%s %@d %@x %@d %@o\n", @a, @b);
	printa("%@d %@d %@x\n", @b);
	exit(0);
}
