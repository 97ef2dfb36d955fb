/* @rows: msg.hint_below */
/* @command: -q -x bufpolicy=circle -n BEGIN */
/* @status: 1 */
/* @stderr: one of switch, fill, ring */
