/* @rows: agg.nameless agg.keyless lex.aggregation */
/* the one without a name is an aggregation of its own */
BEGIN
{
	@ = count();
	@a = sum(2);
	@_ = sum(3);
	printa("%@d ", @); printa("%@d ", @a); printa("%@d\n", @_);
	exit(0);
}
