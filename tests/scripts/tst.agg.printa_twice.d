/* @rows: act.printa */
/* what is printed stays */
BEGIN
{
	@["a"] = sum(1);
	printa("%s %@d\n", @);
	@["a"] = sum(2);
	printa("%s %@d\n", @);
	exit(0);
}
