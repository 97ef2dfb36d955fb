BEGIN { commit("one"); }
/* @rows: act.commit */
