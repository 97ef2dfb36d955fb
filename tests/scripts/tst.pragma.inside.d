/* @rows: pragma.anywhere */
/* @sonde: -x errtags */
/* A pragma may stand between the statements of a clause. */
BEGIN
{
	x = 1;
#pragma D option quiet
	printf("%d\n", x);
 #pragma D option strsize=3
	exit(0);
}
