/* @rows: opt.rate_suffix opt.statusrate */
/* @sonde: -x statusrate=0hz */
/* @status: 1 */
/* @stderr: failed to set -x statusrate: Invalid value for specified option */
BEGIN { exit(0); }
