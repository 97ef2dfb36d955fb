inline int I = 1; BEGIN { I = 2; }
