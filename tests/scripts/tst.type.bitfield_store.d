/* @rows: type.bitfield */
/* A store into a bit-field changes its bits only. */
struct bits { int a:2; unsigned b:4; int c; };
struct bits v;

BEGIN
{
	v.a = 1; v.b = 7; v.c = 100; v.a = 3; v.b++;
	printf("%d %d %d\n", v.a, v.b, v.c);
	exit(0);
}
