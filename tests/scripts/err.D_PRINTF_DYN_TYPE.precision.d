BEGIN { printf("%.*d\n", "x", 1); }
/* @rows: fmt.star */
