/* @rows: opt.aggsize_lowered */
/* @sonde: -q -x aggsize=64t -x quietresize=no */
/* @stderr: aggregation size lowered to */
/* What the machine cannot give is halved until it can. */
BEGIN
{
	@ = count();
	printa("%@d\n", @);
	exit(0);
}
