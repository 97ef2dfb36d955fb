/* @rows: act.freopen */
/* @command: -q -w -s @script@ @scratch@/first @scratch@/second */
/* output goes to the file from there on, in order; "" brings it back; a file is appended to */
BEGIN { printf("to standard output\n"); }
BEGIN { freopen("%s", $$1); }
BEGIN { printf("to the first\n"); }
BEGIN { freopen("%s", $$2); }
BEGIN { printf("to the second\n"); }
BEGIN { freopen("%s", $$1); }
BEGIN { printf("to the first again\n"); }
BEGIN { freopen(""); }
BEGIN { printf("back\n"); system("cat %s %s", $$1, $$2); }
BEGIN { exit(0); }
