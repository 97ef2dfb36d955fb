/* @rows: cmd.Z */
/* @command: -q -Z -n 'nosuch:::thing { trace(arg0); }' -n 'BEGIN { exit(0); }' */
/* -Z with nothing that matches, beside something that does. */
BEGIN
{
	trace("script");
	exit(0);
}
