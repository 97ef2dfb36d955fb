BEGIN { printa(); }
/* @rows: call.prototype_first */
