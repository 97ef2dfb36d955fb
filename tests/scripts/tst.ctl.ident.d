/* @rows: ctl.ident */
/* An #ident line says nothing to D. */
#ident "@(#)x.d 1.1"

BEGIN
{
	trace(1);
	exit(0);
}
