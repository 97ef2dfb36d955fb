/* @rows: bv.arg */
/* @sonde: -q */
/* a probe without arguments: all are 0 */
BEGIN
{
	printf("%d%d%d%d%d", arg0, arg1, arg2, arg3, arg4);
	printf("%d%d%d%d%d\n", arg5, arg6, arg7, arg8, arg9);
	exit(0);
}
