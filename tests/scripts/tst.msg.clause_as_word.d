/* @rows: msg.hint_below */
/* @command: -e 'BEGIN { exit(0); }' */
/* @status: 1 */
/* @stderr: did you mean -n 'BEGIN { exit(0); }'? */
