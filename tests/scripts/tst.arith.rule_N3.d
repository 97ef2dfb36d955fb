BEGIN { g = "abcdef"; trace(g + 2); trace(3 + g); exit(0); }
