/* @rows: act.impossible */
/* @command: -q -n 'BEGIN { panic(); }' */
/* @status: 1 */
/* @stderr: could not enable tracing: Destructive actions not allowed */
/* They are destructive like others. */


