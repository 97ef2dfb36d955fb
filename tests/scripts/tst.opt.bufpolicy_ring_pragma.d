/* @rows: opt.bufpolicy_ring */
/* what fits is all there, in order */
#pragma D option bufpolicy=ring
BEGIN { printf("one\n"); }
BEGIN { printf("two\n"); exit(0); }
END { printf("three\n"); }
