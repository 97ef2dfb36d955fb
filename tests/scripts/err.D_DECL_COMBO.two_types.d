int char a;
