BEGIN { printf("%f\n", 1); }
/* @rows: fmt.float */
