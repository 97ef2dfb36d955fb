/* @rows: cmd.e_alone */
/* @command: -b 3m -x strsize=32 -e */
/* -e needs no program. */


