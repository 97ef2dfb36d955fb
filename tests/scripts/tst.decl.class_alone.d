/* @rows: decl.class_alone */
/* A storage class or a qualifier alone declares an int. */

self flag;
this a, b;
const c;

BEGIN
{
	self->flag = 7;
	this->b = 2;
	printf("%d %d %d %d\n", sizeof (self->flag), self->flag, this->b, sizeof (c));
	exit(0);
}
