/* @rows: agg.key_string */
/* a string ends with its NUL, also as a key */
BEGIN
{
	@["ab\0cd"] = count();
	@["ab"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
