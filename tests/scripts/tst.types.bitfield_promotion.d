/* @rows: type.bitfield expr.promotion */
/* a narrow bit-field is an int when it is computed with; what is assigned to one is worth what it keeps */
struct bits { unsigned int u : 5; long l : 40; short s : 3; char pad; };
struct bits b;

BEGIN
{
	b.u = 3;
	printf("%d %d %d\n", b.u - 5 < 0, sizeof (b.u + 0), sizeof (+b.l));
	x = b.u = 99;
	printf("%d %d\n", x, b.u);
	b.u /= -1;
	printf("%d\n", b.u);
	printf("%d %d\n", b.s = 5, b.s);
	exit(0);
}
