#pragma D option destructive
BEGIN { freopen("."); }
/* @rows: act.freopen */
