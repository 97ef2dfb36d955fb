/* @rows: cmd.e */
/* @command: -e -s @script@ */
/* -e compiles, enables nothing and prints nothing. */
BEGIN
{
	trace("script");
	exit(0);
}
