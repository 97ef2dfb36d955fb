int a[3][];
