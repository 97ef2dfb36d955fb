/* @rows: agg.key_integer */
/* keys are cut to the type of the first use before they are compared */
BEGIN
{
	@[(char)1] = count();
	@[(char)257] = count();
	@[(char)2] = count();
	printa("%d %@d\n", @);
	exit(0);
}
