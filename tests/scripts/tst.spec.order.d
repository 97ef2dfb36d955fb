/* @rows: spec.order */
/* rows of a speculation keep their order, and stand together where it is committed */
#pragma D option nspec=2

BEGIN { a = speculation(); b = speculation(); }
BEGIN { speculate(a); printf("a1 "); }
BEGIN { speculate(b); printf("b1 "); }
BEGIN { speculate(a); printf("a2 "); }
BEGIN { speculate(b); printf("b2 "); }
BEGIN { printf("now: "); }
BEGIN { commit(b); }
BEGIN { commit(a); }
BEGIN { printf("end\n"); exit(0); }
