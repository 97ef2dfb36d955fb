BEGIN { a[1, "x"] = 2; a[1, 2] = 3; }
/* @rows: var.assoc_signature */
