BEGIN { stackdepth = 1; }
