/* @rows: opt.size_suffix opt.bufsize */
/* @sonde: -x bufsize=99999999999999t */
/* @status: 1 */
/* @stderr: failed to set -x bufsize: Invalid value for specified option */
BEGIN { exit(0); }
