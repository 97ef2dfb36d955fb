BEGIN { speculate(77); n = 1; }
BEGIN { speculate(-2); n = 1; }
BEGIN { trace(n); exit(0); }
