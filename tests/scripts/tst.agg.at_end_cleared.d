/* @rows: agg.at_end agg.at_end_empty */
/* what was cleared is printed with its keys */
BEGIN
{
	@a["x"] = count(); @a["y"] = count();
	clear(@a);
	@b["x"] = count(); @b["y"] = count();
	clear(@b);
	@b["y"] = count();
	exit(0);
}
