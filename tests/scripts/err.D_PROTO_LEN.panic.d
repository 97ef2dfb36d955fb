BEGIN { panic(1); }
/* @rows: act.panic */
