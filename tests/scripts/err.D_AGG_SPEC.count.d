BEGIN { speculate(1); @a = count(); }
/* @rows: act.speculate */
