BEGIN
{
	arg0 = 1;
}

/* @rows: expr.builtin_write */
