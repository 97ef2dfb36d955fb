/* @rows: act.printa */
/* an aggregation that has nothing prints nothing */
BEGIN
/0/
{
	@["a"] = count();
}
BEGIN
{
	printa("%s %@d\n", @);
	printf("that was all\n");
	exit(0);
}
