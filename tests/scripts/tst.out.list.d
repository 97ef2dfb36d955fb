/* @rows: out.list cmd.l */
/* @command: -l -n BEGIN */
/* the columns of a list */
BEGIN { exit(0); }
