/* @sonde: -q */
/* %C shows what cannot be printed; %@ takes a precision on either side */
BEGIN
{
	printf("%C%C%C|%5C|%c\n", 65, 7, 200, 10, 66);
	@ = sum(7);
	printa("[%@5.3d] [%5.3@d] [%05@d] [%-5@d]\n", @);
	clear(@);
	trunc(@);
	exit(0);
}
