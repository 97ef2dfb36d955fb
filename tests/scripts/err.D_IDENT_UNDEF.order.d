BEGIN
{
	trace(x);
	x = 1;
}

/* @rows: var.undefined */
