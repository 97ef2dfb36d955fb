BEGIN { raise("KILL"); }
/* @rows: act.raise */
