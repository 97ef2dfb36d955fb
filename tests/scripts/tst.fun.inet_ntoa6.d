/* @rows: fun.inet_ntoa6 */
/* RFC 5952: lower case, no leading zeros, the longest run of zero groups is ::, the first of equal ones; one group alone is not */
BEGIN
{
	this->a = (in6_addr_t *)alloca(16);
	this->w = (uint16_t *)this->a;
	printf("%s\n", inet_ntoa6(this->a));
	this->w[7] = htons(1);
	printf("%s\n", inet_ntoa6(this->a));
	this->w[0] = htons(0x2001); this->w[1] = htons(0xDB8);
	printf("%s\n", inet_ntoa6(this->a));
	this->w[4] = htons(0xa);
	printf("%s\n", inet_ntoa6(this->a));
	this->w[3] = htons(1); this->w[5] = htons(2); this->w[6] = htons(3);
	printf("%s\n", inet_ntoa6(this->a));
	this->w[2] = htons(0xffff);
	printf("%s\n", inet_ntoa6(this->a));
	this->w[7] = 0; this->w[6] = 0;
	printf("%s\n", inet_ntoa6(this->a));
	exit(0);
}
