BEGIN { @[printf("x")] = count(); }
/* @rows: expr.action_void */
