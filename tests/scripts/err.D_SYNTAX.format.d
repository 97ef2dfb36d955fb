BEGIN { printf("%"); }
/* @rows: fmt.syntax */
