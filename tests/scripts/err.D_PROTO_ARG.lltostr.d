BEGIN { trace(lltostr("12")); }
/* @rows: fun.lltostr */
