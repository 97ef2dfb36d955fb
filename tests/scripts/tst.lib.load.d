/* @rows: lib.load cmd.L */
/* @sonde: -q -L lib/good */
/* Declarations of a library directory are there; libraries load in the order that they depend on each other. */
BEGIN
{
	v.width = 3;
	printf("%d %d %s\n", area[v.width], deep, xlate <struct box> (4).label);
	exit(0);
}
