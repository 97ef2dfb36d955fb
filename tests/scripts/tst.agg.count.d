/* @rows: agg.count agg.keyless agg.nameless */
/* @sonde: -q */
/* count() without keys */
BEGIN
{
	@ = count();
	@ = count();
	@named = count();
	exit(0);
}
