inline int add[int a, int] = a;
