int tab[4];
BEGIN { tab[1, 2] = 3; }
/* @rows: expr.index_one */
