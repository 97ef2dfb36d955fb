BEGIN { @ = quantize(); }
/* @rows: call.prototype_first */
