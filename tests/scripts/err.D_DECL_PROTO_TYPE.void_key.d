char v[void, long];
BEGIN { exit(0); }
/* @rows: decl.parameter_types */
