long v(char k[string]);
BEGIN { exit(0); }
/* @rows: decl.parameter_types */
