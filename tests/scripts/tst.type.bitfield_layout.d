/* @rows: type.bitfield_layout */
/* A bit-field takes the bytes that it needs, aligned to the power of two that holds them. */

struct mix { char p : 3; int q : 10; long r : 25; } m;
struct two { int s : 18; int t : 2; int u : 11; } n;
struct one { int v : 30; char w : 1; } o;

BEGIN
{
	m.p = 1;
	m.q = 300;
	m.r = 1000000;
	printf("%d %d %d %d %d %d\n", sizeof (m), sizeof (n), sizeof (o), m.p, m.q, m.r);
	exit(0);
}
