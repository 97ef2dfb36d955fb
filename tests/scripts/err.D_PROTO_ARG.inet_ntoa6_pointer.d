long *w;
BEGIN { w = alloca(16); trace(inet_ntoa6(w)); exit(0); }
/* @rows: fun.inet_ntoa6_arguments */
