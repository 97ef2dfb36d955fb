/* @rows: agg.at_end agg.at_end_empty */
/* what was cleared is not printed, unless something came after */
BEGIN
{
	@a["x"] = count(); @a["y"] = count();
	clear(@a);
	@b["x"] = count(); @b["y"] = count();
	clear(@b);
	@b["y"] = count();
	exit(0);
}
