BEGIN { trace(index("a", "b", 1, 2)); }
/* @rows: fun.index */
