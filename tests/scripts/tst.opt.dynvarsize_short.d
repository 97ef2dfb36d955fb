/* @rows: var.dynvarsize_payload */
/* @sonde: -q -x dynvarsize=59 */
/* @stderr: 1 dynamic variable drop */

BEGIN
{
	v[10] = 5;
	v[20] = 6;
	v[30] = 7;
	printf("%d %d %d\n", v[10], v[20], v[30]);
	exit(0);
}
