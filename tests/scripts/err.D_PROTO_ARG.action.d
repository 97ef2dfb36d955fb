BEGIN { exit(trace(3)); }
/* @rows: expr.action_void */
