/* @rows: expr.assign_ops expr.width */
/* op= cuts to the type of the left side. */
BEGIN
{
	c = (char)100; c += 100;
	u = (unsigned char)3; u -= 4;
	s = (short)1; s <<= 15;
	printf("%d %d %d\n", c, u, s);
	exit(0);
}
