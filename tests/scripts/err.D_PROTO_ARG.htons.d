BEGIN { trace(htons("80")); }
/* @rows: fun.htons */
