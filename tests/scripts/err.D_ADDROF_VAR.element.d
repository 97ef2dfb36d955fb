struct t { int x; };
struct t a[int];

BEGIN
{
	a[1].x = 1;
	p = &a[1].x;
}
