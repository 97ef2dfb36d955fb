BEGIN { @ = quantize(1, 2, 3); }
/* @rows: call.prototype_first */
