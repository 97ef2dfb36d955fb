/* @rows: fmt.printa_keys fmt.Y */
/* a time as a key */
BEGIN
{
	@[(int64_t)1700000000000000000] = count();
	printa("%Y %@d\n", @);
	exit(0);
}
