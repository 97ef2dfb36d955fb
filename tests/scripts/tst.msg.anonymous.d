/* @rows: msg.hint_below */
/* @command: -a -n BEGIN */
/* @status: 1 */
/* @stderr: anonymous tracing is not there */
