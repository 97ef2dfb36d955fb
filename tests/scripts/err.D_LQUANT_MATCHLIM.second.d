BEGIN { @a = lquantize(1, 0, 100, 10); }
END { @a = lquantize(1, 0, 200, 10); }
