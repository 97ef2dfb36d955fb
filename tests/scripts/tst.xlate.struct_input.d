/* @rows: xlate.scalar_input xlate.struct */
/* From a struct, by value. */
struct in { int a; };
struct out { int b; };
struct in v;
translator struct out < struct in i > { b = i.a + 1; };

BEGIN
{
	v.a = 5;
	printf("%d %d\n", xlate <struct out> (v).b, xlate <struct out *> (v)->b);
	exit(0);
}
