/* @rows: agg.at_end agg.at_end_empty agg.trunc_all act.trunc */
/* @sonde: -q */
/* what nobody printed is printed at the end, in order of definition; empty ones are not */
BEGIN
{
	@second["s"] = sum(2);
	@first = count();
	@empty = count();
	trunc(@empty);
	printf("body\n");
	exit(0);
}
