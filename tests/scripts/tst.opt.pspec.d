/* @rows: opt.pspec */
/* @sonde: -q -x pspec */
/* a description of a probe alone may be a program */
BEGIN
{
	printf("set\n");
	exit(0);
}
