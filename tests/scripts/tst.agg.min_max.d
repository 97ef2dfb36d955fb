/* @rows: agg.min agg.max */
/* the least and the greatest, of one value and of several */
BEGIN
{
	@min["one"] = min(42); @max["one"] = max(42);
	@min["down"] = min(3); @min["down"] = min(2); @min["down"] = min(1);
	@max["down"] = max(3); @max["down"] = max(2); @max["down"] = max(1);
	@min["signs"] = min(-1); @min["signs"] = min(1);
	@max["signs"] = max(-2); @max["signs"] = max(-1);
	printa("%s %@d %@d\n", @min, @max);
	exit(0);
}
