/* @rows: cmd.n cmd.attached */
/* @command: -q -n 'dtrace:::BEGIN{trace(probename)}' -n ':BEGIN{trace(2)}' -n '::BEGIN{exit(0)}' */
/* -n fills from the right. */
BEGIN
{
	trace("script");
	exit(0);
}
