BEGIN { j = 3; trace(uregs[j]); }
/* @rows: call.prototype_first */
