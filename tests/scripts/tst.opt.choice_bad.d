/* @rows: opt.link */
/* @sonde: -x linkmode=sometimes */
/* @status: 1 */
/* @stderr: failed to set -x linkmode: Invalid value for specified option */
BEGIN { exit(0); }
