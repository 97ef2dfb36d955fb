/* @rows: fun.inet_ntoa fun.inet_ntop */
/* @sonde: -q */
/* addresses as text */
BEGIN
{
	this->a = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	*this->a = htonl(0x7f000001);
	printf("%s %s\n", inet_ntoa(this->a), inet_ntop(AF_INET, this->a));
	this->b = (uint8_t *)alloca(16);
	printf("%s\n", inet_ntop(AF_INET6, this->b));
	this->b[15] = 1;
	printf("%s\n", inet_ntop(AF_INET6, this->b));
	this->b[0] = 0x20; this->b[1] = 1; this->b[2] = 0xd; this->b[3] = 0xb8;
	printf("%s\n", inet_ntop(AF_INET6, this->b));
	exit(0);
}
