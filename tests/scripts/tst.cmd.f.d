/* @rows: cmd.f */
/* @command: -q -Z -f 'dtrace::nosuch{trace(1)}' -n 'BEGIN{trace(2);exit(0)}' */
/* -f names a function: here of no probe. */
BEGIN
{
	trace("script");
	exit(0);
}
