BEGIN { @ = count(); normalize(@); }
/* @rows: call.prototype_first */
