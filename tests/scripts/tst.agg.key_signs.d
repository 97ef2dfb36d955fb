/* @rows: agg.key_integer */
/* a key is shown as %d (or %lld) of its type: what is narrower than int prints without a sign, wider types with one */
BEGIN
{
	@a[-1] = count(); @b[(unsigned int)-1] = count(); @c[(char)-2] = count();
	@d[(unsigned char)254] = count(); @e[(short)-3] = count(); @f[(uint64_t)-1] = count();
	exit(0);
}
