int n, a[n];
