/* @rows: msg.not_destructive */
/* @command: -n 'BEGIN { system("echo never"); exit(0); }' */
/* @status: 1 */
/* @stderr: could not enable tracing: Destructive actions not allowed */
/* -w is needed for what changes the system */
