/* @rows: clause.by_id cmd.n */
/* @command: -n 1 -n "BEGIN { exit(0); }" */
/* @cpu: 0 */
/* @stderr: description '1' matched 1 probe */
/* A probe's id stands in -n as well. */
