/* @rows: inline.scalar */
/* @sonde: -q */
/* inlines are expressions with a name */
int n;
inline int SIX = 6;
inline int twice_n = n * 2;
inline string GREETING = "hello";

BEGIN
{
	n = 4;
	printf("%d %d %s\n", SIX, twice_n, GREETING);
	n = 5;
	printf("%d\n", twice_n);
	exit(0);
}
