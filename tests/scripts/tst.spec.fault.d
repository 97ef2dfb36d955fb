/* @rows: act.speculate fault.clause_only */
/* @stderr: divide-by-zero in action #3 */
/* a clause that faults leaves nothing in the speculation, and what was there before stays */
BEGIN { self->id = speculation(); zero = 0; }
BEGIN { speculate(self->id); printf("kept\n"); }
BEGIN { speculate(self->id); printf("lost\n"); x = 1 / zero; }
BEGIN { commit(self->id); }
BEGIN { exit(0); }
