/* @rows: opt.verbose cmd.v */
/* @command: -x verbose -e -s @script@ */
/* as -v */
BEGIN { exit(0); }
