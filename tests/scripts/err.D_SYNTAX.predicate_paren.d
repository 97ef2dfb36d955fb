BEGIN /(pid == 1/ { }
/* @rows: lex.unbalanced */
