inline int f[int a] = a;

BEGIN
{
	trace(f["x"]);
}

/* @rows: inline.parameters */
