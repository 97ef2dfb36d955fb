BEGIN { printf("%5\n", 1); }
/* @rows: fmt.syntax */
