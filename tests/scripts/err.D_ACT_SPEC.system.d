#pragma D option destructive
BEGIN { speculate(1); system("true"); }
/* @rows: act.speculate act.system */
