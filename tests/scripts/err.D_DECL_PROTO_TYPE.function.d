struct s;
int f(struct s);
