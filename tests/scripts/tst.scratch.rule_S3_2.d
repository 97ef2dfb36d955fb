BEGIN { r = alloca(0); q = (char *)alloca(4); q[0] = 90; trace(stringof(r)); exit(0); }
