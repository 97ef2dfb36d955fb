/* @rows: agg.key_string type.strsize */
/* @sonde: -q -x strsize=4 */
/* strings of keys are cut to strsize */
BEGIN
{
	@["abcdef"] = count();
	@["abcdxyz"] = count();
	@["abc"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
