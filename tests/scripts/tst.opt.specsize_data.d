/* @rows: opt.record_data */
/* @sonde: -q -x specsize=64 */
/* @stderr: 1 speculative drop */
/* A record is as big as its values, not as their text. */

BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("%60d|", 3); }
BEGIN { speculate(self->s); printf("%60d|", 4); }
BEGIN { speculate(self->s); trace("too long"); }
BEGIN { commit(self->s); }
BEGIN { printf("\n"); exit(0); }
