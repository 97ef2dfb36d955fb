/* @rows: cmd.programs cmd.attached cmd.n */
/* @command: -q -n 'BEGIN { printf("first\n"); }' -n BEGIN'{ printf("second\n"); }' -n 'BEGIN { exit(0); }' */
/* programs run in their order */
