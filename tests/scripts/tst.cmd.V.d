/* @rows: cmd.V */
/* @command: -V */
/* -V prints a version line. */
BEGIN
{
	trace("script");
	exit(0);
}
