/* @rows: status.usage cmd.usage */
/* @command: -j */
/* @status: 2 */
/* @stderr: invalid option -- 'j' */
/* @stderr: Usage: sonde */
/* An unknown letter: usage, status 2. */
BEGIN
{
	trace("script");
	exit(0);
}
