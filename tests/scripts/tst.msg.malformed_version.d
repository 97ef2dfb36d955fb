/* @rows: msg.bad_version opt.version */
/* @command: -x version=1.2.3.4 -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x version: Version is not properly formatted or is too large */
/* A version that is none. */
BEGIN
{
	trace("script");
	exit(0);
}
