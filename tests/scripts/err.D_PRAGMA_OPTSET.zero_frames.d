#pragma D option ustackframes=-3
BEGIN { exit(0); }
/* @rows: opt.ustackframes */
