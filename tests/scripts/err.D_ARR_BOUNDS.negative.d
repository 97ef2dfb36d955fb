int a[2];

BEGIN
{
	trace(a[-1]);
}

/* @rows: var.array_bounds */
