BEGIN { printf("%d %d", index("abc", "", 9), rindex("abc", "", -4)); exit(0); }
