/* @rows: msg.matched */
/* @command: -n 'BEGIN, END, BEGIN { }' -n 'BEGIN { exit(0); }' */
/* @stderr: description 'BEGIN, END, BEGIN ' matched 3 probes */
/* @stderr: description 'BEGIN ' matched 1 probe */
/* @cpu: 0 */
/* How many probes each program matched. */
BEGIN
{
	trace("script");
	exit(0);
}
