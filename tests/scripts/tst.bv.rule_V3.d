BEGIN { printf("%d %d %d", R_EDI, R_EAX, R_EFL); exit(0); }
