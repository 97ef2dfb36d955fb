/* @rows: opt.cleanrate spec.reuse */
/* @sonde: -q -x cleanrate=1h */
/* one thread alone needs no cleaning: its speculation is free at once */
BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("one\n"); }
BEGIN { commit(a); b = speculation(); }
BEGIN { speculate(b); printf("two\n"); }
BEGIN { commit(b); }
BEGIN { exit(0); }
