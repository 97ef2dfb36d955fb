BEGIN { printf("%1$d\n", 1); }
/* @rows: fmt.syntax */
