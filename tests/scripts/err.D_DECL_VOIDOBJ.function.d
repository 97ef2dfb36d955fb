struct s { int a; int f(int); };
