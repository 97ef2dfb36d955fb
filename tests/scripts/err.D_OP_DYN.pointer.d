struct t { int x; };
translator struct t < int n > { x = n; };

BEGIN
{
	p = xlate <struct t *> (5);
}

/* @rows: xlate.dynamic */
