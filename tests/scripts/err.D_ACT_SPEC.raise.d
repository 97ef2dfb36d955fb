#pragma D option destructive
BEGIN { speculate(1); raise(9); }
/* @rows: act.speculate act.raise */
