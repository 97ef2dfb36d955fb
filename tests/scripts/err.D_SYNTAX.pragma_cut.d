inline int zed = 4;
BEGIN { exit(zed); }
/* @rows: ctl.cut_off */
#pragma