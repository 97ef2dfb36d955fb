BEGIN { pid = 1; }
/* @rows: expr.builtin_write */
