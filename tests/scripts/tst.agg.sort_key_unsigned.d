/* @rows: agg.sort_signed */
/* integer keys compare as unsigned numbers of their size */
BEGIN
{
	@[(char)-1] = sum(1); @[(char)3] = sum(1); @[(char)-128] = sum(1); @[(char)127] = sum(1);
	@l[(int64_t)-1] = sum(1); @l[(int64_t)1] = sum(1); @l[(int64_t)0x7fffffffffffffff] = sum(1);
	printa("%d\n", @);
	printa("%d\n", @l);
	exit(0);
}
