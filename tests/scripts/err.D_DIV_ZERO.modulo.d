BEGIN
{
	x = 5;
	x %= 0;
}

/* @rows: expr.div_zero */
