BEGIN { b = alloca(3); c = alloca(5); trace((uint64_t)c - (uint64_t)b); exit(0); }
