BEGIN { @x = p99(arg0); }
/* @rows: msg.hint_below */
