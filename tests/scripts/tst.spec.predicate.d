/* @rows: spec.commit */
/* the usual form: ids in self->, verdicts by predicates */
BEGIN { self->spec = speculation(); self->error = 2; }
BEGIN /self->spec/ { speculate(self->spec); printf("open(%s)\n", "/etc/none"); }
BEGIN /self->spec && self->error/ { speculate(self->spec); printf("  -> %d\n", self->error); }
BEGIN /self->spec && self->error/ { commit(self->spec); self->spec = 0; }
BEGIN /self->spec && !self->error/ { discard(self->spec); self->spec = 0; }
BEGIN { exit(0); }
