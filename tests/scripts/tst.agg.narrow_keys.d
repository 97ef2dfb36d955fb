/* @rows: agg.narrow_keys */
/* Keys of one and two bytes print without a sign, the others with one. */

BEGIN
{
	@[(char)-3] = count();
	@s[(short)-3] = count();
	@i[-3] = count();
	@u[(uint32_t)-3] = count();
	exit(0);
}
