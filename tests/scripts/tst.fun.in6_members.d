/* @rows: fun.in6_members */
/* An IPv6 address has the kernel's members, and s6_addr. */

struct in6_addr *a;

BEGIN
{
	a = alloca(16);
	a->in6_u.u6_addr8[15] = 9;
	printf("%s %d %d\n", inet_ntop(AF_INET6, a), a->s6_addr[15], a->in6_u.u6_addr32[3] == htonl(9));
	exit(0);
}
