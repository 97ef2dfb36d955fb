/* @rows: act.commit fault.clause_only */
/* @stderr: divide-by-zero in action #2 */
/* what was committed is out, whatever its clause does then */
BEGIN { self->id = speculation(); zero = 0; }
BEGIN { speculate(self->id); printf("committed\n"); }
BEGIN { commit(self->id); x = 1 / zero; }
BEGIN { exit(0); }
