/* @rows: status.usage cmd.usage */
/* @command: -y */
/* @status: 2 */
/* @stderr: invalid option -- 'y' */
/* @stderr: Usage: sonde */
/* An unknown letter: usage, status 2. */
BEGIN
{
	trace("script");
	exit(0);
}
