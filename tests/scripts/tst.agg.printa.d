/* @rows: act.printa fmt.printa_keys fmt.at */
/* @sonde: -q */
/* printa() with a format, once for each key */
BEGIN
{
	@["b", 2] = sum(20);
	@["a", 1] = sum(10);
	@["c", 3] = sum(5);
	printa("%s/%d=%@d\n", @);
	printa("%@5d %-3s|\n", @);
	exit(0);
}
