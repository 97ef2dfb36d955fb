int a[unsigned void];
