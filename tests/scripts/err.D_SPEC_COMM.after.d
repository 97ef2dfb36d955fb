BEGIN { commit(1); speculate(2); }
/* @rows: act.speculate act.commit */
