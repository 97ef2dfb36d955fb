BEGIN { tracemem(alloca(4), 0); }
/* @rows: act.tracemem */
