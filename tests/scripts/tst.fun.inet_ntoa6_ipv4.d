/* @rows: fun.inet_ntoa6 fun.inet_ntop */
/* mapped and compatible addresses show dotted: alone, or with strict and by inet_ntop() behind their prefix */
BEGIN
{
	this->a = (in6_addr_t *)alloca(16);
	this->b = (uint8_t *)this->a;
	this->b[12] = 10; this->b[13] = 1; this->b[14] = 2; this->b[15] = 3;
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0), inet_ntoa6(this->a, 1));
	this->b[10] = 0xff; this->b[11] = 0xff;
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntop(AF_INET6, this->a), inet_ntoa6(this->a, 1));
	exit(0);
}
