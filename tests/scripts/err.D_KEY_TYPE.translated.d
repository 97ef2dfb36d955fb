BEGIN { @a[curpsinfo] = count(); }
/* @rows: xlate.dynamic */
