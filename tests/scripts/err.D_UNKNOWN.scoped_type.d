BEGIN { trace(sizeof (struct nosuch.so`node)); }
