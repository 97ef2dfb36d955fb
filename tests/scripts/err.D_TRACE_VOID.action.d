BEGIN { trace(printf("x")); }
/* @rows: expr.action_void */
