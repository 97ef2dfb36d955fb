/* @rows: cmd.o */
/* @command: -q -w -o @scratch@/out -n 'BEGIN { printf("to the file\n"); exit(0); }' */
/* -o takes the output: nothing is left on standard output */
