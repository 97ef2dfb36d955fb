BEGIN { trace(strjoin("a", 1)); }
/* @rows: fun.strjoin */
