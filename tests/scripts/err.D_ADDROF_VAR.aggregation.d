BEGIN { @q = count(); trace(&@q); }
/* @rows: agg.value_dynamic */
