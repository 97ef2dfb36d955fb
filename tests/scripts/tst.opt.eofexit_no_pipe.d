/* @rows: opt.eofexit */
/* @sonde: -q -x eofexit */
/* @status: 1 */
/* @stderr: eofexit: standard input is no pipe or socket: its end cannot be waited for */
BEGIN { exit(0); }
