/* @rows: act.inject msg.not_destructive */
/* @sonde: -q -c /bin/true */
/* @status: 1 */
/* @stderr: could not enable tracing: Destructive actions not allowed */
syscall::exit_group:entry { inject(0); }
