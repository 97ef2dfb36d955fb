BEGIN
{
	n = 1;
	x = n ? "a" : 2;
}

/* @rows: expr.ternary */
