/* @rows: var.dynvarsize_self */
/* @sonde: -q -x dynvarsize=4 */
/* A thread's int counts 4 bytes. */
self int kept;
int given;

BEGIN
{
	given = 6;
	self->kept = given + 1;
	printf("%d\n", self->kept);
	exit(0);
}
