BEGIN { jstack(-1); }
/* @rows: act.jstack */
