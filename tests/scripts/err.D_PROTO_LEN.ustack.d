BEGIN { ustack(3, 4, 5); }
/* @rows: call.prototype_first */
