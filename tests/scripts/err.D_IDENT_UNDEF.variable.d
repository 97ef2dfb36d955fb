BEGIN { trace(exename); }
/* @rows: var.undefined */
