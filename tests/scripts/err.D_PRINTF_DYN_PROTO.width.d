BEGIN { printf("%*d\n"); }
/* @rows: fmt.star */
