/* @rows: fmt.precision_zero */
/* A precision of 0 on a string is none. */

BEGIN { printf("%.0s|%.*s|%.2s\n", "water", 0, "water", "water"); exit(0); }
