BEGIN /k < 3/ { printf("%d", k++); exit(0); }
