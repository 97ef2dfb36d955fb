/* @rows: expr.deref */
/* & of what a pointer reaches. */
struct pair { int a; int b; };

BEGIN
{
	p = (struct pair *)alloca(sizeof (struct pair));
	q = &p->b; *q = 4;
	r = &q[0];
	printf("%d %d %d\n", p->b, *r, (uintptr_t)q - (uintptr_t)p);
	exit(0);
}
