/* @rows: fun.link_ntop const.net */
/* Ethernet has 6 bytes, InfiniBand 20 */
BEGIN
{
	this->a = (uint8_t *)alloca(20);
	this->a[0] = 0; this->a[1] = 0x1b; this->a[2] = 0x21; this->a[3] = 0xAB; this->a[4] = 5; this->a[5] = 0xff;
	this->a[19] = 0x14;
	printf("%s\n", link_ntop(ARPHRD_ETHER, this->a));
	printf("%s\n", link_ntop(ARPHRD_INFINIBAND, this->a));
	exit(0);
}
