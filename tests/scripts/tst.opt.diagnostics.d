/* @rows: opt.diagnostics */
/* @command: -x diagnostics=place -e -s @script@ */
/* @status: 1 */
/* @stderr: tst.opt.diagnostics.d:10:8: error: failed to resolve nosuch: Unknown variable name */
/* The place comes first, and the script is not repeated before it. */


BEGIN
{
	trace(nosuch);
}
