/* @rows: agg.aggpercpu */
/* @sonde: -q -x aggpercpu */
/* @cpu: 0 */
/* normalize(), clear() and trunc() hold for the parts as well */
BEGIN
{
	@["a"] = sum(5000); @["b"] = sum(2000); @["c"] = sum(1000);
	trunc(@, 2);
	normalize(@, 1000);
	printa(@);
	clear(@);
	@["c"] = sum(7000);
	printa(@);
	exit(0);
}
