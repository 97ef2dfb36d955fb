BEGIN { trace(progenyof(printf("x"))); }
/* @rows: expr.action_void */
