BEGIN { printf("%d %d", (unsigned char)200 + (unsigned char)100, sizeof ((char)1 + (char)1)); exit(0); }
