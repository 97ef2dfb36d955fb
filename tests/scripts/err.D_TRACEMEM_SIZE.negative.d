BEGIN { tracemem(alloca(4), -1); }
/* @rows: act.tracemem */
