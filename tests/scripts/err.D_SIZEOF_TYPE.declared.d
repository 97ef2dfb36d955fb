struct nowhere_to_be_found;
BEGIN { trace(sizeof (struct nowhere_to_be_found)); }

/* @rows: type.incomplete */
