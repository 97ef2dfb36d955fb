/* @rows: var.extern */
/* extern declares a D variable; it may be repeated. */
extern int x;
extern int x;
int x;

BEGIN
{
	x = 4;
	printf("%d\n", x);
	exit(0);
}
