BEGIN { trace(args[2]); }
/* @rows: bv.args_index */
