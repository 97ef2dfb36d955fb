/* @rows: act.impossible act.breakpoint */
/* @command: -q -w -n 'BEGIN { breakpoint(); }' */
/* @status: 1 */
/* @stderr: could not enable tracing: breakpoint() stops the kernel: there is no source that can */
/* Enabling them is refused. */


