struct s { int a; }; struct s v; BEGIN { v.a = 1; x = !v; }
