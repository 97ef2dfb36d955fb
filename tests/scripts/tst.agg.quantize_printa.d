/* @rows: fmt.printa_quantize */
/* @sonde: -q */
/* printa() of a histogram by a format */
BEGIN
{
	@["k"] = quantize(3);
	printa("%s:%@d", @);
	exit(0);
}
