BEGIN { @a[7, 30] = sum(2); printa("[%*d]", @a); exit(0); }
