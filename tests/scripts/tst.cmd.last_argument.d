/* @rows: cmd.last_argument */
/* @command: -q -n 'BEGIN { trace($2); exit(0); }' x1 4 */
/* Only the last macro argument must be named. */


