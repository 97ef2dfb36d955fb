/* @rows: opt.version msg.bad_version */
/* @sonde: -x version=99.9 */
/* @status: 1 */
/* @stderr: failed to set -x version: Requested version is not supported by compiler */
BEGIN { exit(0); }
