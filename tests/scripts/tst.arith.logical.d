/* @rows: expr.logical expr.logical_xor */
/* @sonde: -q */
/* logical operators, xor among them, give 0 or 1 */
BEGIN
{
	x = 5;
	z = 0;
	printf("%d %d %d %d\n", x && z, x || z, x ^^ 3, x ^^ z);
	printf("%d %d %d\n", !x, !z, !!x);
	s = "";
	printf("%d\n", s == NULL);
	exit(0);
}
