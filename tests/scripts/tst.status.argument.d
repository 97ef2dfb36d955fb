/* @rows: status.usage cmd.usage */
/* @command: -n */
/* @status: 2 */
/* @stderr: option requires an argument -- 'n' */
/* @stderr: Usage: sonde */
/* A missing argument. */
BEGIN
{
	trace("script");
	exit(0);
}
