int tab[4];
BEGIN /tab/ { exit(0); }
/* @rows: expr.scalar */
