BEGIN { printf("%lld\n", 1); }
/* @rows: fmt.ll */
