/* @rows: cmd.w msg.destructive */
/* @command: -w -q -n 'BEGIN { system("echo changed"); exit(0); }' */
/* with -w */
