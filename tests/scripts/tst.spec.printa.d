/* @rows: act.printa act.speculate act.clear */
/* printa() and clear() of a speculation are done when it is committed, or never */
#pragma D option nspec=2

BEGIN { a = speculation(); b = speculation(); @n = sum(1); }
BEGIN { speculate(a); printa("committed: %@d\n", @n); clear(@n); }
BEGIN { speculate(b); printa("discarded: %@d\n", @n); trunc(@n); }
BEGIN { @n = sum(5); }
BEGIN { discard(b); }
BEGIN { commit(a); }
BEGIN { printa("now: %@d\n", @n); exit(0); }
