BEGIN { print(); }
/* @rows: act.print */
