/* @rows: agg.key_string */
/* a longer string than its column */
BEGIN
{
	@["0123456789012345678901234567890123456789012345678901234567890123456789"] = count();
	@[""] = count();
	exit(0);
}
