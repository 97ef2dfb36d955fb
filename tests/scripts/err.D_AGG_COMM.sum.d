BEGIN { commit(1); @a = sum(1); }
/* @rows: act.commit */
