BEGIN { trace(strchr("abc", "b")); }
/* @rows: fun.strchr */
