/* @rows: act.speculate */
/* @sonde: */
/* @cpu: 0 */
/* a clause that only speculates records nothing: no row, no default action */
BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); }
BEGIN { commit(self->id); }
BEGIN { trace("done"); exit(0); }
