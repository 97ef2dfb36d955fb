/* @rows: fun.inet_ntoa6_ipv4 */
/* An IPv4 address in an IPv6 one stands alone, unless strict; inet_ntop() has its prefix. */

struct in6_addr *a;

BEGIN
{
	a = alloca(16);
	a->s6_addr[12] = 10;
	a->s6_addr[15] = 1;
	printf("%s %s %s\n", inet_ntoa6(a), inet_ntoa6(a, 1), inet_ntop(AF_INET6, a));
	a->s6_addr[10] = 0xff;
	a->s6_addr[11] = 0xff;
	printf("%s %s %s\n", inet_ntoa6(a), inet_ntoa6(a, 1), inet_ntop(AF_INET6, a));
	exit(0);
}
