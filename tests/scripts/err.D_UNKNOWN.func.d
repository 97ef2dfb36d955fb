BEGIN { func(0x10); }
/* @rows: act.func */
