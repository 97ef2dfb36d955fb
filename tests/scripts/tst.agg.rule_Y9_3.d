BEGIN { @[7] = lquantize(0, 1, 9, 2, 6); @[8] = lquantize(0, 1, 9, 2, -6); exit(0); }
