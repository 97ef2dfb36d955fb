/* @rows: cmd.Z msg.no_match */
/* @command: -q -Z -n 'nothing:::here { trace(1); } BEGIN { printf("BEGIN\n"); exit(0); }' */
/* with -Z a description may match nothing */
