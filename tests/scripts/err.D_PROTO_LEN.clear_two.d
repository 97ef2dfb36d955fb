BEGIN { @a = count(); clear(@a, 1); }
/* @rows: call.prototype_first */
