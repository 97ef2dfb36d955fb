BEGIN { printf("%s\n", 1); }
/* @rows: fmt.s */
