BEGIN /execname/ { exit(0); }
/* @rows: expr.scalar */
