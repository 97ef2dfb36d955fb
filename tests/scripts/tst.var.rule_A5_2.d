BEGIN { 0 ? nosuch : 1; exit(0); }
