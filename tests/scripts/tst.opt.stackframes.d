/* @rows: opt.stackframes */
/* @sonde: -q -x stackframes=5 */
/* the depth of kernel stacks may be set */
BEGIN
{
	printf("set\n");
	exit(0);
}
