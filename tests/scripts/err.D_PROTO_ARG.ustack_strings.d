BEGIN { ustack(3, "a"); }
/* @rows: call.prototype_first */
