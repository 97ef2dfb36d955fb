/* @rows: fmt.printa_keys */
/* percent signs and text around */
BEGIN
{
	@["a"] = sum(50);
	printa("100%% of %s: %@d%%\n", @);
	exit(0);
}
