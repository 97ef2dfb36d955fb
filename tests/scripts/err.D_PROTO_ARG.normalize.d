BEGIN { @ = count(); normalize(@, "z"); }
/* @rows: call.prototype_first */
