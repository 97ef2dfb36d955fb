struct s { int a; string : 3; };
