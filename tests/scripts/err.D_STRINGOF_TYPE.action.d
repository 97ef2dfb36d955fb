BEGIN { trace(stringof(printf("x"))); }
/* @rows: expr.action_void */
