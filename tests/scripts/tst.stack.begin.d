/* @rows: bv.ustackdepth bv.ucaller */
/* BEGIN fires in no program: it has no frames. */
BEGIN { printf("%d\n", ustackdepth); printf("%d\n", ucaller); exit(0); }
