BEGIN { trace(sizeof (`)); exit(0); }
/* @rows: lex.backquote */
