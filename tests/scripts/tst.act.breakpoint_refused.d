/* @rows: act.impossible act.breakpoint */
/* @command: -q -w -n 'BEGIN { breakpoint(); }' */
/* @status: 1 */
/* @stderr: could not enable tracing: breakpoint() stops the kernel: no event source can do that */
/* Enabling them is refused. */


