BEGIN { ustack(); commit(1); }
/* @rows: act.commit */
