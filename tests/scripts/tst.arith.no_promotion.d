/* @rows: arith.no_promotion */
/* Nothing becomes int: a result has the type of the larger operand, of two of one size the unsigned one. */

BEGIN
{
	printf("%d %d\n", (unsigned char)200 + (unsigned char)100, sizeof ((char)1 + (char)1));
	printf("%d %d\n", (unsigned short)65535 + (char)7, (unsigned char)255 * (char)2);
	printf("%d %d\n", sizeof (-(char)1), sizeof (~(short)1));
	c = (unsigned char)pid;
	d = (char)1;
	printf("%d %d %d\n", sizeof (c + d), sizeof (c << 9), sizeof (pid ? c : d));
	u = (unsigned char)200;
	v = (unsigned char)100;
	printf("%d %d\n", u + v, (u + v) / 2);
	w = (char)-3;
	printf("%d %d %d\n", u / (w | 1), u / w, u / (w | (char)1));
	printf("%d %d\n", (char)-1 < (unsigned char)1, -1 < 1U);
	exit(0);
}
