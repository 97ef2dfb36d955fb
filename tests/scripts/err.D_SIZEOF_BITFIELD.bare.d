struct s { int a : 3; int b : 5; }; struct s v;
BEGIN { trace(sizeof v.a); }
