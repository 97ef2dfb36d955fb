/* @rows: opt.evaltime */
/* @sonde: -x evaltime=never -c /bin/true */
/* @status: 1 */
/* @stderr: failed to set -x evaltime: Invalid value for specified option */
BEGIN { exit(0); }
