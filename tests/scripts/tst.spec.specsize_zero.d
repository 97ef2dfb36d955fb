/* @rows: spec.specsize opt.specsize */
/* @sonde: -q -x specsize=0 -x droptags */
/* @stderr: [DTRACEDROP_SPEC] 1 speculative drop */
/* nor in none */
BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); trace(1); }
BEGIN { commit(self->id); }
BEGIN { printf("done\n"); exit(0); }
