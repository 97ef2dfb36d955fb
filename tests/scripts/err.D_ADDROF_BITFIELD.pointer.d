struct s { int a : 3; int b : 5; }; struct s *p;
BEGIN { trace(&p->b); }
