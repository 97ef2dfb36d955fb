BEGIN { clear(); }
/* @rows: call.prototype_first */
