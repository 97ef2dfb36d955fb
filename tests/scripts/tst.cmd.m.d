/* @rows: cmd.m */
/* @command: -q -Z -m 'dtrace:nosuch{trace(1)}' -n 'BEGIN{trace(2);exit(0)}' */
/* -m names a module: here of no probe. */
BEGIN
{
	trace("script");
	exit(0);
}
