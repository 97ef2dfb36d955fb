/* @rows: act.freopen msg.not_destructive */
/* @status: 1 */
/* @stderr: could not enable tracing: Destructive actions not allowed */
BEGIN { freopen("/dev/null"); exit(0); }
