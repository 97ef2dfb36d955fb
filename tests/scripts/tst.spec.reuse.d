/* @rows: spec.reuse */
/* an id that was committed or discarded is handed out again, empty; the lowest free one first */
#pragma D option nspec=2

BEGIN { a = speculation(); b = speculation(); }
BEGIN { speculate(a); printf("a\n"); }
BEGIN { speculate(b); printf("b\n"); }
BEGIN { commit(a); discard(b); }
BEGIN { c = speculation(); d = speculation(); printf("%d %d\n", c, d); }
BEGIN { commit(c); commit(d); }
BEGIN { speculate(d); printf("not seen: it has ended\n"); }
BEGIN { exit(0); }
