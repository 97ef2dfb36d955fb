BEGIN { @q[7]; }
/* @rows: agg.value_dynamic */
