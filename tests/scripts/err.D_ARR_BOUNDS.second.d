int a[2][4];

BEGIN
{
	a[1][4] = 1;
}

/* @rows: var.array_bounds */
