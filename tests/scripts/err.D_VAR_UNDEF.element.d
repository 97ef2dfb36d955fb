BEGIN
{
	a["x"]++;
}

/* @rows: var.undefined */
