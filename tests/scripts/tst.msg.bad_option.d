/* @rows: msg.bad_option */
/* @command: -x nosuchoption -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x nosuchoption: Invalid option name */
/* An option that does not exist. */
BEGIN
{
	trace("script");
	exit(0);
}
