/* @rows: opt.rate_suffix opt.switchrate */
/* @sonde: -x switchrate=10furlongs */
/* @status: 1 */
/* @stderr: failed to set -x switchrate: Invalid value for specified option */
BEGIN { exit(0); }
