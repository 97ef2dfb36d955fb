BEGIN { printf("%d", $-2); }
/* @rows: lex.dollar */
