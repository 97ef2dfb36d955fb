/* @rows: act.exit status.exit prog.exit_rest */
/* @status: 7 */
/* the clause goes on behind exit(); the last exit wins */
BEGIN { exit(3); printf("the rest\n"); }
BEGIN { printf("not seen\n"); }
END { printf("END\n"); exit(7); }
