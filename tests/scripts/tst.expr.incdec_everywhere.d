/* @rows: expr.incdec */
/* ++ and -- on every kind of variable. */
int arr[4];
struct t { int m; };
struct t v;

BEGIN
{
	g = 1; self->s = 1; this->t = 1; a[1] = 1; arr[2] = 1; v.m = 1;
	g++; ++self->s; this->t--; a[1]++; --arr[2]; v.m++;
	printf("%d %d %d %d %d %d\n", g, self->s, this->t, a[1], arr[2], v.m);
	exit(0);
}
