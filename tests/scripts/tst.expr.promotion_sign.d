/* @rows: expr.promotion expr.sign_rules */
/* An unsigned short becomes a signed int. */
BEGIN
{
	u = (unsigned short)1;
	printf("%d %d %d\n", u - 2 < 0, u > -1, (uint32_t)1 > -1);
	exit(0);
}
