/* @rows: cmd.arguments */
/* @command: -q one -n 'BEGIN { trace($$1); trace($2); exit(0); }' 2 */
/* Words between the options are macro arguments. */
BEGIN
{
	trace("script");
	exit(0);
}
