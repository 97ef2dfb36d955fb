struct t { int x; };
struct t v;

BEGIN
/v/
{
	trace(1);
}

/* @rows: prog.clause */
