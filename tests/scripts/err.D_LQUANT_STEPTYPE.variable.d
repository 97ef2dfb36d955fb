BEGIN { @a = lquantize(1, 0, 100, pid); }
