/* @rows: type.struct_layout type.union expr.offsetof */
/* @sonde: -q */
/* members are aligned, the end is not padded */
struct first { int a; char b; };
struct second { char a; int b; short c; };
struct bits { int a : 1; int b : 1; int c : 3; };
union either { char c; long l; };

BEGIN
{
	printf("%d %d\n", sizeof (struct first), sizeof (struct second));
	printf("%d %d %d\n", offsetof(struct second, a), offsetof(struct second, b), offsetof(struct second, c));
	printf("%d\n", sizeof (struct bits));
	printf("%d\n", sizeof (union either));
	exit(0);
}
