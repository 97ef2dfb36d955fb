/* @sonde: -q */
/* negative values and zero */
BEGIN
{
	@["k"] = quantize(-3); @["k"] = quantize(0); @["k"] = quantize(0); @["k"] = quantize(1);
	exit(0);
}
