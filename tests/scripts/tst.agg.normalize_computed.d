/* @rows: agg.normalize */
/* the factor may be computed */
int64_t start;

BEGIN
{
	start = 40;
	@["a"] = sum(1000); @["b"] = sum(100);
	normalize(@, (start + 60) / 2);
	printa("%s %@d\n", @);
	exit(0);
}
