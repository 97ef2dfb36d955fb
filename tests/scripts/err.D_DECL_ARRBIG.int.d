int a[0x40000000];
BEGIN { a[0] = 1; }
