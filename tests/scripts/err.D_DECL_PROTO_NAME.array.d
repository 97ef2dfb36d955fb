int a[void v];
