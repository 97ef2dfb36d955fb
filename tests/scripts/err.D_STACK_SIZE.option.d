#pragma D option stackframes=5
BEGIN { stack(-5); }
/* @rows: act.stack opt.stackframes */
