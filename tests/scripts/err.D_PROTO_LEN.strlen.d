BEGIN { trace(strlen("a", "b")); }
/* @rows: fun.strlen */
