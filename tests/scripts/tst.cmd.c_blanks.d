/* @rows: cmd.c */
/* @sonde: -q -c "/bin/echo  a   'b  c' " */
/* any number of blanks parts the words of a command; those in quotes are part of one */
BEGIN { x = 1; }
