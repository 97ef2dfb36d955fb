/* @rows: fmt.percent */
BEGIN { printf("100%%\n"); printf("%%%d%%\n", 5); exit(0); }
