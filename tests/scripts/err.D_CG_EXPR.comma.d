BEGIN { exit((trace(3), 1)); }
/* @rows: expr.action_void */
