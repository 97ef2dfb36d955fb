BEGIN { printf("%.0s|%.*s|%.2s", "water", 0, "water", "water"); exit(0); }
