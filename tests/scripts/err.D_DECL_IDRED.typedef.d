typedef int number;
int number;
