BEGIN { chill(); }
/* @rows: act.chill */
