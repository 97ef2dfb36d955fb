/* @rows: msg.specifier */
/* @command: -n 'BEGIN { trace(x); }' */
/* @status: 1 */
/* @stderr: invalid probe specifier BEGIN { trace(x); }: in action list: failed to resolve x: Unknown variable name */
/* A -n text has no line number; it says where the error is. */
BEGIN
{
	trace("script");
	exit(0);
}
