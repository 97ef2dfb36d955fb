/* @rows: agg.cleared */
/* What was cleared is still there and is printed at the end. */

BEGIN
{
	@a = avg(12);
	@c["k"] = count();
	@s = sum(3);
	@q = quantize(5);
	@x = max(9);
	@n = min(9);
	clear(@a);
	clear(@c);
	clear(@s);
	clear(@q);
	clear(@x);
	clear(@n);
	exit(0);
}
