BEGIN { trace(pid / (1 - 1)); }
/* @rows: expr.div_zero */
