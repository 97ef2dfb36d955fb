/* @rows: opt.statusrate_exit */
/* @sonde: -q -x statusrate=1500ms */
/* @status: 2 */
/* Where statusrate is set, exit() is noticed when the status is looked at. */

tick-100ms { exit(2); ts = timestamp; }
END { printf("%d\n", timestamp - ts > 1000000000); }
