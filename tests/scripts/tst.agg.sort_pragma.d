/* @rows: opt.quiet agg.aggsortrev */
/* @sonde: */
/* sort options by pragma */
#pragma D option quiet
#pragma D option aggsortrev

BEGIN
{
	@["a"] = sum(1); @["b"] = sum(2);
	printa("%s %@d\n", @);
	exit(0);
}
