#pragma D option destructive
BEGIN { breakpoint(); }
/* @rows: act.breakpoint */
