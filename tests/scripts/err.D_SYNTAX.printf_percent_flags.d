BEGIN { printf("%-%\n"); }
/* @rows: fmt.syntax */
