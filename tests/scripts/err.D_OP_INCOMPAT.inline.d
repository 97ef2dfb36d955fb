inline int i = "text";

BEGIN
{
	x = 1;
}

/* @rows: inline.mismatch */
