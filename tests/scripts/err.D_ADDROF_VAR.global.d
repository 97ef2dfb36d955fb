BEGIN { x = 1; y = &x; }
/* @rows: var.addrof */
