struct s { int a; char *p : 4; };
