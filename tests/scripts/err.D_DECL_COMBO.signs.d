signed unsigned int a;
