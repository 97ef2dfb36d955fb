BEGIN { print((void *)0); }
/* @rows: act.print */
