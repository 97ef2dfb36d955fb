BEGIN { trace(bcopy(alloca(1), alloca(1), 1)); }
