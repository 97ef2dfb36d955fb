BEGIN { stop(1); }
/* @rows: act.stop */
