BEGIN { exit(); }
/* @rows: act.exit */
