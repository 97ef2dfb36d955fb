/* @rows: fun.htons fun.ntohs fun.htonl fun.ntohl fun.htonll fun.ntohll */
/* the results are unsigned, of the width in the name; twice is nothing */
BEGIN
{
	trace(htons(0x1234) == 0x3412);
	trace(sizeof (htons(1)));
	trace(sizeof (htonl(1)));
	trace(sizeof (htonll(1)));
	printf("\n%x %x %x\n", htons(-2), htonl(-2), htonll(-2));
	printf("%d %d %d\n", ntohs(htons(4711)), ntohl(htonl(4711)), ntohll(htonll(4711)));
	printf("%x\n", htons(0x12345678));
	exit(0);
}
