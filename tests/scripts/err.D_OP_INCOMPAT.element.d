BEGIN
{
	a[1] = "x";
	a[2] = 3;
}

/* @rows: var.other_type */
