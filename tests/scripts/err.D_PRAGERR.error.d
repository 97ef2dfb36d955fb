#error this is wrong
BEGIN { }
/* @rows: ctl.error */
