/* @rows: drop.tags drop.dynamic opt.dynvarsize var.dynvarsize */
/* @sonde: -q -x dynvarsize=256 -x droptags */
/* @stderr: [DTRACEDROP_DYNAMIC] */
/* @stderr: dynamic variable drops */
/* a value that finds no room is lost and counted; tracing goes on */
BEGIN
{
	a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; a[5] = 5; a[6] = 6; a[7] = 7; a[8] = 8;
	a[9] = 9; a[10] = 10; a[11] = 11; a[12] = 12; a[13] = 13; a[14] = 14; a[15] = 15; a[16] = 16;
	printf("%d %d\n", a[1], a[16]);
	exit(0);
}
