BEGIN { row[k++] = "u"; row[k++] = "v"; trace(row[1]); exit(0); }
