/* @rows: msg.specifier */
/* @command: -n 'BEGIN /x/ { trace(1); }' */
/* @status: 1 */
/* @stderr: invalid probe specifier BEGIN /x/ { trace(1); }: in predicate: failed to resolve x: Unknown variable name */
/* ... in the predicate. */
BEGIN
{
	trace("script");
	exit(0);
}
