int f(int, self int);
