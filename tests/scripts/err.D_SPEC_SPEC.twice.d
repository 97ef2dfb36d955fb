BEGIN { speculate(1); speculate(2); }
/* @rows: act.speculate */
