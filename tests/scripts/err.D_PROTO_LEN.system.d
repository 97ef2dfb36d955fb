BEGIN { system(); }
/* @rows: act.system */
