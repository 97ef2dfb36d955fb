/* @rows: agg.normalize agg.at_end */
/* the print at the end divides as well */
BEGIN
{
	@["x"] = sum(5000);
	normalize(@, 1000);
	exit(0);
}
