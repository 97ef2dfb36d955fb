/* @rows: agg.default_print */
/* nothing to print: only its newline */
BEGIN
{
	@["a"] = count();
	trunc(@);
	printf("begun");
	printa(@);
	printf("next\n");
	exit(0);
}
