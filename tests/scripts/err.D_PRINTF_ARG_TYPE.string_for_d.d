BEGIN { printf("%d\n", "one"); }
/* @rows: fmt.d */
