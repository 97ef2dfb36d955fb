/* @rows: act.ftruncate */
/* @command: -q -w -s @script@ @scratch@/file */
/* what was written to the file is gone; no -w is needed for that */
BEGIN { freopen("%s", $$1); }
BEGIN { printf("lost\n"); }
BEGIN { ftruncate(); }
BEGIN { printf("kept\n"); }
BEGIN { freopen(""); system("cat %s", $$1); }
BEGIN { exit(0); }
