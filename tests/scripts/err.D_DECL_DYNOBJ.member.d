struct s { _symaddr a; };
