/* @rows: agg.normalize agg.denormalize act.normalize act.denormalize */
/* @sonde: -q */
/* normalize() divides what is shown */
BEGIN
{
	@["x"] = sum(5000);
	@["y"] = sum(1999);
	normalize(@, 1000);
	printa("%s %@d\n", @);
	denormalize(@);
	printa("%s %@d\n", @);
	exit(0);
}
