/* @rows: warn.comparison */
/* @sonde: -q */
/* @stderr: tst.warn.unused_comparison.d:8:2: warning: a comparison whose result nothing uses */
/* @stderr: = assigns */
/* A comparison as a statement. */
BEGIN
{
	pid == 1;
	exit(0);
}
