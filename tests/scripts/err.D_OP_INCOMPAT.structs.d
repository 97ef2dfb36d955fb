struct t { int x; };
struct t a;
struct t b;

BEGIN
{
	trace(a == b);
}
