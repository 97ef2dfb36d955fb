/* @rows: expr.logical */
/* @sonde: -q */
/* what && and || do not need is not evaluated */
BEGIN
{
	a = 0;
	b = 0 && (a = 1);
	c = 1 || (a = 2);
	d = 1 && (a = 3);
	printf("%d %d %d %d\n", a, b, c, d);
	exit(0);
}
