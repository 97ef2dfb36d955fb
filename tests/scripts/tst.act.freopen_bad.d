/* @rows: act.freopen */
/* @sonde: -q -w */
/* @stderr: couldn't freopen() to ".." */
/* @stderr: couldn't freopen() to "/nonexistent/folder/file" */
/* a name that can be no file: the output stays where it is */
BEGIN { this->name = ".."; freopen("%s", this->name); }
BEGIN { printf("still here\n"); }
BEGIN { freopen("/nonexistent/folder/file"); }
BEGIN { printf("and here\n"); exit(0); }
