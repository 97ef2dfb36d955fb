/* @rows: cmd.b */
/* @command: -q -b 64k -n 'BEGIN { printf("fits\n"); exit(0); }' */
/* -b is -x bufsize */
