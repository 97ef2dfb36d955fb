int (*f)(int);
BEGIN { f -= 1; }
