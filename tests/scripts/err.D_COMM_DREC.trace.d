BEGIN { trace("a"); commit(1); }
/* @rows: act.commit */
