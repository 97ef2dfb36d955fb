/* @rows: msg.bad_option */
/* @sonde: -x nosuchoption=1 */
/* @status: 1 */
/* @stderr: failed to set -x nosuchoption: Invalid option name */
BEGIN { exit(0); }
