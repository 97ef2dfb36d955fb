struct t { int x; };
struct t v;

BEGIN
{
	trace(*v);
}
