/* @rows: act.speculate */
/* variables are not speculated: they keep what the clause stored, also when it is discarded */
BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); x = 7; self->y = 8; printf("not seen\n"); }
BEGIN { discard(self->id); }
BEGIN { printf("%d %d\n", x, self->y); exit(0); }
