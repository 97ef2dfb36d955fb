/* @rows: fun.lltostr fault.illop */
/* @stderr: illegal operation */
BEGIN { trace(lltostr(1, 37)); }
ERROR { exit(0); }
