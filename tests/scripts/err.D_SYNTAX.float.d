BEGIN { x = 1.5; }
/* @rows: lex.float_refused */
