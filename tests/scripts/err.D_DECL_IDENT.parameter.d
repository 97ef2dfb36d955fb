int a[const];
