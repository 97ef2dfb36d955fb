BEGIN { printf("%d %d", (unsigned short)65535 + (char)7, (unsigned char)255 * (char)2); exit(0); }
