/* @rows: cmd.stdin */
/* @command: -q -s /dev/stdin */
/* @stdin: BEGIN { printf("from standard input\n"); exit(0); } */
/* a script by standard input */
