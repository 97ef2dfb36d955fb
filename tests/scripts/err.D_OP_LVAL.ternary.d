BEGIN
{
	this->p = (int *)alloca(8);
	(1 ? *this->p : 0) = 2;
}
/* @rows: expr.ternary */
