BEGIN { x = 1]; }
/* @rows: lex.unbalanced */
