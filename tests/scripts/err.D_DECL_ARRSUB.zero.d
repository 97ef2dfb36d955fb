int a[3][0];
