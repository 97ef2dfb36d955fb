BEGIN { @ = lquantize(3, "low", 9); }
/* @rows: call.prototype_first */
