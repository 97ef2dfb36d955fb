BEGIN { stack("a"); }
/* @rows: call.prototype_first */
