/* @rows: opt.aggsize_data */
/* @sonde: -q -x aggsize=60 */
/* @stderr: 1 aggregation drop on CPU */
/* An element counts what a record of it holds: 8 bytes, its value of 8, its key of 4. */
BEGIN
{
	@[1] = count();
	@[2] = count();
	@[3] = count();
	@[4] = count();
	@[1] = count();
	printa("%d %@d, ", @);
	trunc(@, 1);
	@[5] = count();
	@[6] = count();
	printa("%d %@d, ", @);
	exit(0);
}
