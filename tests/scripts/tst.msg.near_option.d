/* @rows: msg.hint_below */
/* @command: -q -x bufsze=1m -n BEGIN */
/* @status: 1 */
/* @stderr: did you mean 'bufsize'? */
