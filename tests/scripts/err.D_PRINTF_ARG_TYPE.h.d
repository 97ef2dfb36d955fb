BEGIN { printf("%hd\n", 1); }
/* @rows: fmt.h */
