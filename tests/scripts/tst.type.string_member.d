/* @rows: type.string type.struct */
/* A string inside a struct is part of it. */
struct t { int n; string s; };
struct t v;

BEGIN
{
	v.n = 1; v.s = "abc"; w = v; v.s = "x";
	printf("%d %s %s %d\n", w.n, w.s, v.s, sizeof (struct t));
	exit(0);
}
