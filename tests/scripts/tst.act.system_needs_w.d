/* @rows: act.system msg.not_destructive */
/* @sonde: -q */
/* @status: 1 */
/* @stderr: could not enable tracing: Destructive actions not allowed */
BEGIN { system("echo never"); exit(0); }
