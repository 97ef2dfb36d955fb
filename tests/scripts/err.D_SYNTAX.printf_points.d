BEGIN { printf("%5..3d\n", 1); }
/* @rows: fmt.syntax */
