/* @rows: msg.hint_below */
/* @command: -q -x strsize=9 */
/* @status: 1 */
/* @stderr: no probes specified */


