/* @rows: msg.bad_version */
/* @command: -x version=99.0 -n BEGIN */
/* @status: 1 */
/* @stderr: failed to set -x version */
/* a version that is not there yet */
