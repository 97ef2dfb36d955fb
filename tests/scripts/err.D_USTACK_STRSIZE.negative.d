BEGIN { ustack(10, -1); }
