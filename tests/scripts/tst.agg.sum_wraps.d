/* @rows: agg.sum */
/* a sum is a signed number of 64 bits */
BEGIN
{
	@high = sum(0x7fffffffffffffff);
	@high = sum(1);
	@low = sum(0x8000000000000000);
	@low = sum(-1);
	printa("%@d\n", @high);
	printa("%@d\n", @low);
	exit(0);
}
