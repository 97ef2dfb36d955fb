BEGIN { n[mm] += 1; }
/* @rows: var.index_first */
