/* @rows: opt.zero_size opt.aggsize */
/* @sonde: -x aggsize=0 */
/* @status: 1 */
/* @stderr: failed to set -x aggsize: Invalid value for specified option */
BEGIN { exit(0); }
