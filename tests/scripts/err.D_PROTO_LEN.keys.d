BEGIN { a[1] = 2; a[1, 2] = 3; }
/* @rows: var.assoc_signature */
