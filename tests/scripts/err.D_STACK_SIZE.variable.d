BEGIN { n = 3; stack(n); }
/* @rows: act.stack */
