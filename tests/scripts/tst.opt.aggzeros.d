/* @rows: opt.aggzeros */
/* @sonde: -q -x aggzeros=no */
/* elements whose value is 0 are not printed; of several aggregations all must be 0 */
BEGIN
{
	@one["none"] = sum(0); @one["some"] = sum(2); @one["back"] = sum(5); @one["back"] = sum(-5);
	@two["none"] = sum(1); @two["back"] = sum(0);
	@dist["zeros"] = quantize(0);
	printa("%s %@d\n", @one);
	printa("%s %@d %@d\n", @one, @two);
	printa("%s%@d", @dist);
	setopt("aggzeros");
	printa("%s %@d\n", @one);
	exit(0);
}
