/* @rows: var.dynvarsize_self */
/* @sonde: -q -x dynvarsize=3 */
/* @stderr: 1 dynamic variable drop */
/* A thread's int counts 4 bytes. */
self int kept;
int given;

BEGIN
{
	given = 6;
	self->kept = given + 1;
	exit(0);
}
