/* @rows: agg.sum agg.at_end */
/* an element whose sum is zero is shown */
BEGIN
{
	@["up"] = sum(5);
	@["up"] = sum(-5);
	exit(0);
}
