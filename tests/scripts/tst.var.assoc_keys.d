/* @sonde: -q */
/* string keys compare up to the NUL, integer keys by value */
BEGIN
{
	a["ab\0x"] = 5;
	printf("%d\n", a["ab"]);
	b[(char)3] = 7;
	printf("%d %d\n", b[3], b[(char)(256 + 3)]);
	c[-1] = 9;
	m = -1;
	printf("%d\n", c[m]);
	exit(0);
}
