/* @rows: fun.inet_ntoa */
/* four bytes in network order */
BEGIN
{
	this->a = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	this->b = (uint8_t *)this->a;
	this->b[0] = 192; this->b[1] = 168; this->b[2] = 0; this->b[3] = 255;
	printf("%s\n", inet_ntoa(this->a));
	*this->a = 0;
	printf("%s\n", inet_ntoa(this->a));
	*this->a = 0xffffffff;
	printf("%s\n", inet_ntoa(this->a));
	exit(0);
}
