BEGIN { p += 1; }
