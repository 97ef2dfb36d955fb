struct later;
BEGIN { print((struct later *)0); }
/* @rows: act.print */
