BEGIN { mod(0x10); }
/* @rows: act.mod */
