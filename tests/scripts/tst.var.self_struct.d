/* @rows: var.self var.self_declared var.struct_assign */
/* A struct for each thread. */
struct pair { int a; int b; };
self struct pair p;
this struct pair q;

BEGIN
{
	self->p.a = 3;
	this->q = self->p;
	this->q.b = 4;
}

BEGIN
{
	printf("%d %d %d\n", this->q.a, this->q.b, self->p.b);
	exit(0);
}
