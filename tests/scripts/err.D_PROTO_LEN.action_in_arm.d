BEGIN { w = pid ? trace(1) : commit(); }
/* @rows: expr.action_void */
