/* @rows: spec.several_commits */
/* several commits in a clause: in their order; a second one of the same id has nothing left */
#pragma D option nspec=3

BEGIN { a = speculation(); b = speculation(); c = speculation(); }
BEGIN { speculate(a); printf("a"); }
BEGIN { speculate(b); printf("b"); }
BEGIN { speculate(c); printf("c"); }
BEGIN { commit(c); commit(a); discard(b); commit(c); commit(b); }
BEGIN { printf("\n"); exit(0); }
