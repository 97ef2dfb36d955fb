struct o1 { int m; };
translator struct o1 { int z; } { m = 3; }
/* @rows: err.redefined_first */
