/* @rows: msg.l_no_match */
/* @command: -l -n nothing:::here */
/* @stderr: failed to match nothing:::here */
/* a list of nothing is a header */
