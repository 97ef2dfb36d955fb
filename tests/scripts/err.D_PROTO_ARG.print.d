BEGIN { print(12); }
/* @rows: act.print */
