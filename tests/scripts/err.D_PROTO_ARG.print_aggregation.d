BEGIN { @a = count(); print(@a); }
/* @rows: act.print */
