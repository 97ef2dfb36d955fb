/* @rows: opt.destructive */
#pragma D option destructive
BEGIN { system("echo done"); exit(0); }
