BEGIN { trace("s" ? 1 : 2); exit(0); }
/* @rows: expr.scalar */
