#pragma D option destructive
BEGIN { panic(); }
/* @rows: act.panic */
