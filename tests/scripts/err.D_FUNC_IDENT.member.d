struct t { int f; };
struct t v;

BEGIN
{
	v.f(1);
}
