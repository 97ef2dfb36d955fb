BEGIN { freopen(); }
/* @rows: act.freopen */
