/* @rows: agg.default_print */
/* it ends the line it finds */
BEGIN
{
	@["a"] = count();
	printf("begun");
	printa(@);
	printf("next\n");
	exit(0);
}
