BEGIN { speculate(1); exit(0); }
/* @rows: act.speculate act.exit */
