int w; char *c;
BEGIN { w += c; exit(0); }
/* @rows: expr.update_pointer */
