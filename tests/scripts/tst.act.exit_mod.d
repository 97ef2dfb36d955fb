/* @rows: act.exit status.exit */
/* @status: 44 */
/* a status has eight bits */
BEGIN { exit(300); }
