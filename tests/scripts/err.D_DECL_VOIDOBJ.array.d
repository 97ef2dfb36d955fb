void v[3];
