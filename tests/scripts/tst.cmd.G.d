/* @rows: cmd.Gh */
/* @command: -G -s @script@ */
/* @status: 1 */
/* @stderr: -G: USDT is not there yet */
/* -G is refused by name. */
BEGIN
{
	trace("script");
	exit(0);
}
