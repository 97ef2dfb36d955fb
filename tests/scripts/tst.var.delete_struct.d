/* @rows: var.delete_struct */
/* A literal 0 deletes an element or a thread's variable of struct type. */

struct pr { int a; } one;

BEGIN
{
	one.a = 4;
	m[1] = one;
	trace(m[1].a);
	m[1] = 0;
	self->t = one;
	trace(self->t.a);
	self->t = 0;
	trace(m[1].a + self->t.a);
	exit(0);
}
