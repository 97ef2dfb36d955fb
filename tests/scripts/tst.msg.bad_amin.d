/* @rows: msg.bad_option opt.amin */
/* @command: -x amin=Stable -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x amin: Invalid value for specified option */
/* Attributes that are none. */
BEGIN
{
	trace("script");
	exit(0);
}
