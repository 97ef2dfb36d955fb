BEGIN { n[mm]++; }
/* @rows: var.index_first */
