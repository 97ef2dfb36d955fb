BEGIN { @a = llquantize(1, 10, 0, 6, 10); }
END { @a = llquantize(1, 10, 0, 6, 20); }
