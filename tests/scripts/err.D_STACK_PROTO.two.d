BEGIN { stack(1, 2); }
/* @rows: act.stack */
