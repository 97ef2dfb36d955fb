BEGIN { printf(5); }
/* @rows: call.prototype_first */
