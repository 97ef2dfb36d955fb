/* @rows: opt.bufpolicy_switch */
/* @sonde: -x bufpolicy=spill */
/* @status: 1 */
/* @stderr: failed to set -x bufpolicy: Invalid value for specified option */
BEGIN { exit(0); }
