BEGIN
{
	a["x"] += 1;
}

/* @rows: var.undefined */
