/* @rows: agg.sum */
/* values are extended by the sign of their types */
BEGIN
{
	@ = sum((char)200);
	@u = sum((unsigned char)200);
	@s = sum((short)40000);
	@i = sum((unsigned int)-1);
	printa("%@d\n", @); printa("%@d\n", @u); printa("%@d\n", @s); printa("%@d\n", @i);
	exit(0);
}
