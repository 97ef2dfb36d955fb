/* @rows: msg.hint_below */
/* @command: --json -n BEGIN */
/* @status: 2 */
/* @stderr: there is no JSON */
