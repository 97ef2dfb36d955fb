struct t { int x; };
struct t v;

BEGIN
{
	if (v) trace(1);
}

/* @rows: prog.if */
