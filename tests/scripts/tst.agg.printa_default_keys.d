/* @rows: agg.default_print */
/* printa() without a format: each key in its column, then the value */
BEGIN
{
	@["abc", 1, (char)2, (short)3, (int64_t)4] = count();
	printa(@);
	exit(0);
}
