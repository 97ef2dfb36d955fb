BEGIN { x = 1; x = "abc"; }
/* @rows: var.other_type */
