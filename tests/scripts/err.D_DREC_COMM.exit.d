BEGIN { commit(1); exit(0); }
/* @rows: act.commit act.exit */
