/* @rows: opt.verbose */
/* @command: -x verbose -e -s @script@ */
/* as -S */
BEGIN { exit(0); }
