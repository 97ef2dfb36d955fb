/* @rows: type.m32 */
/* @command: -32 -n BEGIN */
/* @status: 1 */
/* @stderr: -32: 32-bit scripts are not there yet */
/* 32-bit scripts are refused by name. */
BEGIN
{
	trace("script");
	exit(0);
}
