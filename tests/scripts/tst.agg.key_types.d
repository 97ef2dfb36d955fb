/* @rows: agg.key_integer agg.keys */
/* @sonde: -q */
/* keys are as wide as their types */
BEGIN
{
	@a[1] = count();
	@b[(char)2] = count();
	@c[(short)3] = count();
	@d[(int64_t)4] = count();
	@e["text", 5] = count();
	exit(0);
}
