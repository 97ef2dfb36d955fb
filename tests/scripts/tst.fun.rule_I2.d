struct in6_addr *a;
BEGIN { a = alloca(16); a->s6_addr[12] = 10; a->s6_addr[15] = 1; printf("%s %s %s", inet_ntoa6(a), inet_ntoa6(a, 1), inet_ntop(AF_INET6, a)); exit(0); }
