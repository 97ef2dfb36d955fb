/* @rows: type.array */
/* @sonde: -q */
/* arrays of C */
int a[4];

BEGIN
{
	a[0] = 1;
	a[3] = 7;
	i = 2;
	a[i] = a[i + 1] * 2;
	printf("%d %d %d %d\n", a[0], a[1], a[2], a[3]);
	exit(0);
}
