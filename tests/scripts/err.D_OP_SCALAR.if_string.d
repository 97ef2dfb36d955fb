BEGIN { if (execname) trace(1); exit(0); }
/* @rows: expr.scalar */
