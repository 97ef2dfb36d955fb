/* @rows: type.scope */
/* D`name is the program's own type. */
typedef short tally;
struct pair { int a; int b; };

BEGIN
{
	v = (D`tally)70000;
	p = (struct D`pair *)alloca(sizeof (struct D`pair));
	p->b = 2;
	printf("%d %d %d\n", v, sizeof (D`tally), p->b);
	exit(0);
}
