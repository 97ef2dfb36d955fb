/* @rows: msg.hint_below */
/* @sonde: */
/* @status: 1 */
/* @stderr: script 'tst.cmd.no_destructive.d' matched 1 probe */
/* @stderr: could not enable tracing: Destructive actions not allowed */
/* @stderr:     -w allows them */
/* What is wrong stands alone in its line, a hint below it; the matched probes come first. */

BEGIN { system("true"); exit(0); }
