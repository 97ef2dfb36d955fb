/* @rows: xlate.define xlate.struct xlate.pointer expr.arrow */
/* @sonde: -q */
/* a translator makes one structure from another */
struct in { int a; int b; };
struct out { int sum; int product; };
translator struct out < struct in *i > { sum = i->a + i->b; product = i->a * i->b; };

BEGIN
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->a = 3;
	this->p->b = 4;
	printf("%d %d\n", xlate <struct out> (this->p).sum, xlate <struct out *> (this->p)->product);
	exit(0);
}
