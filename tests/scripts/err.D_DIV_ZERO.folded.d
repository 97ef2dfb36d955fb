BEGIN
{
	x = 5 / (2 - 2);
}

/* @rows: expr.div_zero */
