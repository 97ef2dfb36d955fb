short long a;
