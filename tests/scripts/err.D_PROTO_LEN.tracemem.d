BEGIN { tracemem(alloca(4)); }
/* @rows: act.tracemem */
