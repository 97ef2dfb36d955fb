BEGIN
{
	p = (int *)alloca(4);
	q = (char *)alloca(4);
	trace(p == q);
}

/* @rows: expr.pointer_compare */
