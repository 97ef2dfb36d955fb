/* @rows: pragma.order */
/* @sonde: -q -x strsize=6 */
/* What -x sets, a pragma may set again. */
#pragma D option strsize=4

BEGIN
{
	trace("abcdefgh");
	exit(0);
}
