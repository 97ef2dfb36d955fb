/* @rows: opt.aggsize_lowered */
/* @sonde: -q -x aggsize=64t -x bufresize=manual */
/* @status: 1 */
/* @stderr: aggsize: there is no memory for */
/* With bufresize=manual that is an error. */
BEGIN { exit(0); }
