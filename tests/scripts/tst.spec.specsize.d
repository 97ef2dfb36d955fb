/* @rows: spec.specsize opt.specsize drop.spec */
/* @stderr: 2 speculative drops */
/* a record that does not fit is dropped whole, a smaller one after it may fit; a string takes all that it may have */
#pragma D option specsize=200

BEGIN { self->id = speculation(); }
BEGIN { speculate(self->id); printf("first\n"); }
BEGIN { speculate(self->id); printf("%s\n", "1"); }
BEGIN { speculate(self->id); printf("second\n"); }
BEGIN { speculate(self->id); printf("%s\n", "2"); }
BEGIN { commit(self->id); }
BEGIN { exit(0); }
