/* @rows: agg.aggpercpu opt.aggpercpu */
/* @sonde: -q -x aggpercpu */
/* @cpu: 0 */
/* what each CPU gave stands behind the value */
BEGIN
{
	@["a"] = sum(5); @["a"] = sum(2); @["b"] = sum(1);
	@n = count();
	@q = quantize(4);
	exit(0);
}
