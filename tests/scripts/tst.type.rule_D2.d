int v[3]; int *p;
BEGIN { v[2] = 9; p = v; trace(p[2]); exit(0); }
