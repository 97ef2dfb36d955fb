BEGIN /(trace(3), 1)/ { exit(0); }
/* @rows: expr.action_void */
