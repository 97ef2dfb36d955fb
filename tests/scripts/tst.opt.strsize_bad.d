/* @rows: opt.strsize */
/* @sonde: -x strsize=1 */
/* @status: 1 */
/* @stderr: failed to set -x strsize: Invalid value for specified option */
BEGIN { exit(0); }
