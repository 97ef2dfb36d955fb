BEGIN { @a = count(); trunc(@a, "three"); }
/* @rows: act.trunc */
