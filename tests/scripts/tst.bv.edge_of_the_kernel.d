/* @rows: bv.caller bv.stackdepth bv.ipl */
/* Probes fire at the edge of the kernel: nothing of it lies below them. */
BEGIN { printf("%d %d %d\n", caller, stackdepth, ipl); printf("%d %d %d\n", sizeof (caller), sizeof (stackdepth), sizeof (ipl)); exit(0); }
