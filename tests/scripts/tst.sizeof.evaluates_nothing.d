/* @rows: expr.sizeof */
/* @sonde: -q */
/* sizeof does not evaluate its operand */
BEGIN
{
	x = 1;
	y = sizeof (x++);
	printf("%d %d\n", x, y);
	exit(0);
}
