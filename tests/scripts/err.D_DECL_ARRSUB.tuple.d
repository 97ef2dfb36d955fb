struct s { int a[int, int]; };
