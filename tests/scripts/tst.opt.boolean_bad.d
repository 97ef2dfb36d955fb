/* @rows: opt.boolean msg.bad_option */
/* @sonde: -x quiet=maybe */
/* @status: 1 */
/* @stderr: failed to set -x quiet: Invalid value for specified option */
BEGIN { exit(0); }
