/* @rows: type.struct type.union */
/* Members of a nameless union are the struct's own. */
struct variant { int kind; union { int number; char text[4]; }; };
struct variant v;

BEGIN
{
	v.kind = 1; v.number = 0x4142;
	printf("%d %c\n", v.kind, v.text[0]);
	exit(0);
}
