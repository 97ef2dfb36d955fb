/* @rows: xlate.define xlate.pointer */
/* A conversion may translate a part of its input. */
struct in { int n; };
struct part { int m; };
struct outer { struct part part; };
translator struct part < int n > { m = n * 10; };
translator struct outer < struct in *i > { part = xlate <struct part> (i->n); };

BEGIN
{
	p = (struct in *)alloca(sizeof (struct in)); p->n = 3;
	printf("%d\n", xlate <struct outer *> (p)->part.m);
	exit(0);
}
