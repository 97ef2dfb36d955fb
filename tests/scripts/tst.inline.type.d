/* @rows: inline.scalar */
/* The value has the inline's type, and is computed at each use. */
int x;
inline int twice = x * 2;
inline char cut = 200;

BEGIN
{
	x = 1; a = twice; x = 5;
	printf("%d %d %d %d\n", a, twice, cut, sizeof (cut));
	exit(0);
}
