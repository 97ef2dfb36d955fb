BEGIN { printf("%zd", 1); }
