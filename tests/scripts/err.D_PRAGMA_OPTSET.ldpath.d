#pragma D option ldpath=/nonexistent/directory
BEGIN { exit(0); }
/* @rows: opt.ldpath pragma.option */
