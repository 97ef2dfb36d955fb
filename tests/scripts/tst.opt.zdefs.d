/* @rows: opt.zdefs */
#pragma D option zdefs
nosuch:::probe { trace(1); }
BEGIN { printf("on\n"); exit(0); }
