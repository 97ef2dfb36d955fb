inline int WANT = 0;
BEGIN { WANT ? @n["a", 1] = count() : 1; @n["a"] = count(); exit(0); }
