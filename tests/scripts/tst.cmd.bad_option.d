/* @rows: msg.bad_option */
/* @command: -x nosuchoption -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x nosuchoption: Invalid option name */
/* an option that does not exist */
