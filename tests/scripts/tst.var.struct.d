/* @rows: type.struct var.struct_assign var.struct_member expr.dot */
/* @sonde: -q */
/* structures: members, copies, nesting */
struct point { int x; int y; };
struct box { struct point low; struct point high; };
struct point p, q;
struct box b;

BEGIN
{
	p.x = 3;
	p.y = 4;
	q = p;
	q.x = 5;
	printf("%d %d %d %d\n", p.x, p.y, q.x, q.y);
	b.low.x = 1;
	b.high = q;
	printf("%d %d %d\n", b.low.x, b.high.x, b.high.y);
	exit(0);
}
