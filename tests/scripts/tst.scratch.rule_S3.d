BEGIN { trace(alloca(0) == alloca(0)); s = alloca(0); trace(s == alloca(0)); exit(0); }
