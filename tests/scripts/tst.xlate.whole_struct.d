/* @rows: xlate.whole */
/* The whole struct; members without a conversion are zero. */
struct in { int a; };
struct out { int b; string s; int none; char text[8]; };
translator struct out < struct in *i > { b = i->a; s = i->a == 7 ? "seven" : "other"; text = "abc"; };

BEGIN
{
	p = (struct in *)alloca(sizeof (struct in)); p->a = 7;
	r = xlate <struct out> (p);
	p->a = 8;
	printf("%d %s %d [%s]\n", r.b, r.s, r.none, stringof(r.text));
	exit(0);
}
