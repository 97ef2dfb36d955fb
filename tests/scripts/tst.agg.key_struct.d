/* @rows: agg.key_struct */
/* structures are keys by their bytes */
struct point { int x; int y; };
struct point p;

BEGIN
{
	p.x = 1; p.y = 2;
	@[p] = count();
	p.y = 3;
	@[p] = count();
	p.y = 2;
	@[p] = count();
	exit(0);
}
