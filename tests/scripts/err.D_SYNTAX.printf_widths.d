BEGIN { printf("%5*d\n", 1, 2); }
/* @rows: fmt.syntax */
