struct q1 { int lo(); };
BEGIN { exit(0); }
/* @rows: type.function_member */
