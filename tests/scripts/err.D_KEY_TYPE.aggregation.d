BEGIN { @q = count(); @r[@q] = count(); }
/* @rows: agg.value_dynamic */
