#pragma D option bufsize=zero
BEGIN { exit(0); }
/* @rows: opt.bufsize pragma.option */
