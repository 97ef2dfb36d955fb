/* @rows: expr.comma */
/* @sonde: -q */
/* the comma operator */
BEGIN
{
	x = (1, 2, 3);
	y = 0, z = 7;
	printf("%d %d %d\n", x, y, z);
	exit(0);
}
