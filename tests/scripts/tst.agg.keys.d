/* @rows: agg.key_string agg.sort_value lex.aggregation */
/* @sonde: -q */
/* string keys, sorted by value, then by key */
BEGIN
{
	@["b"] = count();
	@["c"] = count();
	@["c"] = count();
	@["a"] = count();
	exit(0);
}
