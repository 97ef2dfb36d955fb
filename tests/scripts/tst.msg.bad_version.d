/* @rows: msg.bad_version opt.version */
/* @command: -x version=9.9 -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x version: Requested version is not supported by compiler */
/* A version that does not exist. */
BEGIN
{
	trace("script");
	exit(0);
}
