/* @rows: prog.if */
/* The condition may be a string, a pointer, an assignment. */
BEGIN
{
	if ("") trace("a");
	if ((x = 3) > 2) trace(x);
	if (x == 3 && "b" < "c") { trace("c"); }
	exit(0);
}
