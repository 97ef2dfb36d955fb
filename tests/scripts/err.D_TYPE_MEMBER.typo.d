struct s { int first; }; struct s v; BEGIN { v.frist = 1; }
