BEGIN { printf("%Y\n", 1); }
/* @rows: fmt.Y */
