/* @rows: opt.zero_size opt.bufsize */
/* @sonde: -x bufsize=0 */
/* @status: 1 */
/* @stderr: failed to set -x bufsize: Invalid value for specified option */
BEGIN { exit(0); }
