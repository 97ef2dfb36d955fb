BEGIN { trace(args["k"]); }
/* @rows: call.prototype_first */
