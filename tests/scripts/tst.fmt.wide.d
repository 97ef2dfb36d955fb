/* @rows: fmt.wide */
/* @command: -q -w -o @scratch@/out -n 'BEGIN { printf("%200000d", 1); x = -150000; printf("%*d", x, 2); system("wc -c < %s", $$1); exit(0); }' @scratch@/out */
/* Widths have no limit. */


