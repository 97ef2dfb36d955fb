/* @rows: version.binding */
/* A pragma may ask for a version, too. */
#pragma D option version=1.5

BEGIN
{
	llquantize = 3;
	printf("%d %s\n", llquantize, substr("abc", 1));
	exit(0);
}
