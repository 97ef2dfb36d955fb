BEGIN { tracemem(0, "a"); }
/* @rows: call.prototype_first */
