BEGIN { trunc("a", 3); }
