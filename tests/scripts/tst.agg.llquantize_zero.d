/* @rows: agg.llquantize_zero */

BEGIN { @z = llquantize(0, 5, 0, 1, 5, 2); @z = llquantize(0, 5, 0, 1, 5, -2); exit(0); }
