/* @rows: msg.hint_below */
/* @command: -q -x strsize=1m -n BEGIN */
/* @status: 1 */
/* @stderr: 2 to 65536 bytes */
