struct t { int x; };
struct t v;

BEGIN
{
	p = &v.x;
}
