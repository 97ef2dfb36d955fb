/* @rows: expr.ternary type.struct */
/* ?: chooses between whole structs. */
struct t { int x; };
struct t a;
struct t b;

BEGIN
{
	a.x = 1; b.x = 2; n = 1;
	c = n ? b : a;
	printf("%d %d\n", c.x, (n ? a : b).x);
	exit(0);
}
