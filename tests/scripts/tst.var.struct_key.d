/* @rows: var.assoc_struct_key */
/* @sonde: -q */
/* structures are keys by their bytes */
struct point { int x; int y; };
struct point p, q;
int a[struct point];

BEGIN
{
	p.x = 1;
	p.y = 2;
	q = p;
	a[p] = 10;
	printf("%d ", a[q]);
	q.y = 3;
	printf("%d\n", a[q]);
	exit(0);
}
