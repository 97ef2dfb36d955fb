/* @rows: opt.aggsize_too_small */
/* @sonde: -q -x aggsize=8 */
/* @status: 1 */
/* @stderr: could not enable tracing: Enabling exceeds size of buffer */
/* An aggregation that cannot hold one element is refused. */

BEGIN { @ = count(); exit(0); }
