BEGIN { k = 1; trace(inet_ntoa6((struct in6_addr *)alloca(16), k)); exit(0); }
/* @rows: fun.inet_ntoa6_arguments */
