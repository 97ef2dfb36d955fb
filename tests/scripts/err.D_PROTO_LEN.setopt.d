BEGIN { setopt(); }
/* @rows: act.setopt */
