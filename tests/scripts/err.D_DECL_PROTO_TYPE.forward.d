struct s;
int a[int, struct s x];
