/* @rows: act.ftruncate */
/* it needs no -w; where the output is no file there is nothing to throw away */
BEGIN { printf("a\n"); ftruncate(); printf("b\n"); exit(0); }
