BEGIN { trace(1); speculate(1); }
/* @rows: act.speculate */
