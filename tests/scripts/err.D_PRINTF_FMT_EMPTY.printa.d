BEGIN { @a = count(); printa("", @a); }
/* @rows: act.printa */
