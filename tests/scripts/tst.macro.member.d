/* @rows: macro.number */
/* @arguments: one two */
/* A member, or what follows self->, may be a macro. */
struct t { int two; };
struct t v;

BEGIN
{
	self->$1 = 5; v.$2 = 6;
	printf("%d %d\n", self->one, v.two);
	exit(0);
}
