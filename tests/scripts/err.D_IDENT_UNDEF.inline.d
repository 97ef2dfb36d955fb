inline int f[int n] = n + nothing;

BEGIN
{
}

/* @rows: inline.parameters */
