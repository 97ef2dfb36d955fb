BEGIN /1 ^^ "s"/ { exit(0); }
/* @rows: expr.scalar */
