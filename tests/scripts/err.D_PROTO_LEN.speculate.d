BEGIN { speculate(); }
/* @rows: act.speculate */
