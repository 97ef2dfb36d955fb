BEGIN { @q = count(); trunc(@q, @q); }
/* @rows: agg.value_dynamic */
