/* @rows: cmd.stdin */
/* @command: -q -s /dev/stdin */
/* @stdin: BEGIN { trace("from stdin"); exit(0); } */
/* -s /dev/stdin reads standard input. */
BEGIN
{
	trace("script");
	exit(0);
}
