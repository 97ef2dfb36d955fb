/* @rows: opt.interval */
/* @sonde: -q -x interval=99ms */
/* @status: 1 */
/* @stderr: interval: 100ms at least */
BEGIN { exit(0); }
