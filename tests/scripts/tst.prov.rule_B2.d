BEGIN { trace(B_READ); trace(B_WRITE); exit(0); }
