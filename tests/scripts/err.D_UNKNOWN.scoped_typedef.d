BEGIN { trace((nosuch.so`node_t)1); }
