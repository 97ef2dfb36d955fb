/* @rows: cmd.i */
/* @command: -q -i "2 { printf(\"%s\", probename); } 1 { exit(0); }" */
/* The text of -i is a program: a run of digits at the start of a description is a probe's id. */
