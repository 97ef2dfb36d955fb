struct t { int x; };
struct t v;

BEGIN
{
	x = v ? 1 : 2;
}
