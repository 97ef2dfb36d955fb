BEGIN { setopt(1); }
/* @rows: act.setopt */
