/* @rows: msg.no_file status.fatal */
/* @command: -s nosuch.d */
/* @status: 1 */
/* @stderr: failed to open nosuch.d: No such file or directory */
/* A script that is not there. */
BEGIN
{
	trace("script");
	exit(0);
}
