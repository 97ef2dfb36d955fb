/* @rows: msg.hint_below */
/* @command: -q -n BEGIN -p nginx */
/* @status: 1 */
/* @stderr: -p takes a number: pgrep nginx finds it */
