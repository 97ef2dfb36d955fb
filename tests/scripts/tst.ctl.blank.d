/* @rows: ctl.ident */
/* A # alone, and pragmas D ident and D line, do nothing that shows. */
#
#ident "x"
#pragma D ident "y"
#pragma D line 7 "f.d"

BEGIN
{
	trace(2);
	exit(0);
}
