BEGIN { stack(0); }
/* @rows: act.stack */
