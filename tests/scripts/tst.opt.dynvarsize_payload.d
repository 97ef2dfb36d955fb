/* @rows: var.dynvarsize_payload */
/* @sonde: -q -x dynvarsize=60 */
/* An element costs its value, and 16 bytes for a key of one integer. */

BEGIN
{
	v[10] = 5;
	v[20] = 6;
	v[30] = 7;
	v[20] = 0;
	v[40] = 8;
	printf("%d %d %d\n", v[10], v[30], v[40]);
	exit(0);
}
