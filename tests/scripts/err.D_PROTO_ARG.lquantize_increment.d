BEGIN { @ = lquantize(3, 0, 9, 1, "z"); }
/* @rows: call.prototype_first */
