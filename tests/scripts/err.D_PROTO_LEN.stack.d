BEGIN { stack(3, 4); }
/* @rows: call.prototype_first */
