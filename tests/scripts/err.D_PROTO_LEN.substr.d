BEGIN { trace(substr("a")); }
/* @rows: fun.substr */
