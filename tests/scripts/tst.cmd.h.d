/* @rows: cmd.Gh */
/* @command: -h -s @script@ */
/* @status: 1 */
/* @stderr: -h: USDT is not there yet */
/* -h is refused by name. */
BEGIN
{
	trace("script");
	exit(0);
}
