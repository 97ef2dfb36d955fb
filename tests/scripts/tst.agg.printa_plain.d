/* @rows: agg.default_print */
/* @sonde: -q */
/* printa() without a format starts a line; what it printed is not printed again */
BEGIN
{
	@["x"] = count();
	@["y"] = count();
	@["y"] = count();
	printa(@);
	exit(0);
}
