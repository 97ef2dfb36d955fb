/* @rows: expr.incdec expr.evaluation_order */
/* @sonde: -q */
/* ++ and --, before and after, on every kind of variable */
BEGIN
{
	a = 3;
	b = a++ + ++a;
	printf("%d %d\n", a, b);
	this->c = 1;
	self->d = 1;
	e["k"] = 1;
	printf("%d %d %d\n", this->c++, self->d++, e["k"]++);
	printf("%d %d %d\n", ++this->c, ++self->d, ++e["k"]);
	printf("%d %d %d\n", this->c--, --self->d, --e["k"]);
	printf("%d\n", this->c);
	exit(0);
}
