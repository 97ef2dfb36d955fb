/* @rows: cmd.no_such_process */
/* @command: -q -p 400000000 -n 'BEGIN { exit(0); }' */
/* @status: 1 */
/* @stderr: sonde: No such process */


