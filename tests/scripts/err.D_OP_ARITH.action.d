BEGIN { v = 2 * -printf("x"); }
/* @rows: expr.action_void */
