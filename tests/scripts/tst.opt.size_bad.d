/* @rows: opt.size_suffix msg.bad_option opt.bufsize */
/* @sonde: -x bufsize=1b */
/* @status: 1 */
/* @stderr: failed to set -x bufsize: Invalid value for specified option */
BEGIN { exit(0); }
