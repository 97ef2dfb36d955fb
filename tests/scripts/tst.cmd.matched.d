/* @rows: msg.matched */
/* @command: -n 'BEGIN,END { exit(0); }' */
/* @stderr: description 'BEGIN,END ' matched 2 probes */
/* @cpu: 0 */
/* @ids */
/* how many probes matched, on standard error */
