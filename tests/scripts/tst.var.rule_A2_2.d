BEGIN /k++ < 5/ { printf("%d", k); exit(0); }
