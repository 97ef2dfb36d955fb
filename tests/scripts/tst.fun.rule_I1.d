struct in6_addr *a;
BEGIN { a = alloca(16); a->in6_u.u6_addr8[15] = 9; trace(inet_ntop(AF_INET6, a)); exit(0); }
