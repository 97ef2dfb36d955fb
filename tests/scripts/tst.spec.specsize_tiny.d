/* @rows: spec.specsize opt.specsize */
/* @sonde: -q -x specsize=1 */
/* @stderr: 1 speculative drop */
/* no record fits in one byte */
BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); printf("never seen\n"); }
BEGIN { commit(self->id); }
BEGIN { printf("done\n"); exit(0); }
