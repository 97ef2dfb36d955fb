/* @rows: inline.parameters */
/* Inlines in inlines, and parameters that hide variables. */
int a;
inline int square[int n] = n * n;
inline int cube[int n] = square[n] * n;
inline int total[int b, int c] = a + b + c;

BEGIN
{
	a = 100;
	printf("%d %d\n", cube[3], total[1, 2]);
	exit(0);
}
