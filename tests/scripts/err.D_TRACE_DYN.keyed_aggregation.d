BEGIN { @q[7] = count(); trace(@q[7]); }
/* @rows: agg.value_dynamic */
