/* @rows: agg.key_sign */
/* An integer key prints as its type says, whatever its size. */

BEGIN
{
	@[(char)-3] = count();
	@s[(short)-3] = count();
	@i[-3] = count();
	@u[(uint32_t)-3] = count();
	exit(0);
}
