/* @rows: opt.destructive msg.destructive */
/* @sonde: -x destructive */
/* @cpu: 0 */
/* @stderr: allowing destructive actions */
/* as -w */
BEGIN { system("echo done"); exit(0); }
