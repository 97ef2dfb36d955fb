/* @rows: opt.version msg.bad_version */
/* @sonde: -x version=new */
/* @status: 1 */
/* @stderr: failed to set -x version: Version is not properly formatted or is too large */
BEGIN { exit(0); }
