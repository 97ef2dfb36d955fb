/* @rows: fun.htons fun.htonl fun.htonll fun.ntohs fun.ntohl fun.ntohll */
/* @sonde: -q */
/* between host and network order */
BEGIN
{
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x0102030405060708));
	printf("%x %x %x\n", ntohs(0x1234), ntohl(0x12345678), ntohll(0x0102030405060708));
	exit(0);
}
