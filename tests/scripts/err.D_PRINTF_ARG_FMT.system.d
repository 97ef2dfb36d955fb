BEGIN { system(1); }
/* @rows: act.system */
