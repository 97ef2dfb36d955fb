BEGIN { @q = count(); printf("%d", @q); }
/* @rows: agg.value_dynamic */
