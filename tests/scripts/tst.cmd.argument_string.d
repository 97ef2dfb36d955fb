/* @rows: cmd.argument_string */
/* @command: -q -n 'BEGIN { trace($1); trace($2); exit(0); }' /etc/motd 'a b' */
/* A macro argument that is neither number nor name is a string. */


