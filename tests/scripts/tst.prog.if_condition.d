/* @rows: prog.if */
/* The condition may be a pointer, an assignment, a comparison. */
BEGIN
{
	p = (char *)0;
	if (p) trace("a");
	if ((x = 3) > 2) trace(x);
	if (x == 3 && "b" < "c") { trace("c"); }
	exit(0);
}
