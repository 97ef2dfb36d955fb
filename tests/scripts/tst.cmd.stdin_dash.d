/* @rows: cmd.stdin */
/* @command: -q -s - */
/* @stdin: BEGIN { printf("from /dev/stdin, by its short name\n"); exit(0); } */
