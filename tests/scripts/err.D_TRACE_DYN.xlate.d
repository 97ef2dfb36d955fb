struct t { int x; };
translator struct t < int n > { x = n; };

BEGIN
{
	trace(xlate <struct t> (5));
}

/* @rows: xlate.dynamic */
