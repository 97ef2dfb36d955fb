/* @stderr: tst.warn.pragma_d.d:3:1: warning: this pragma is ignored: one of D begins with #pragma D */
/* A D in lower case is no D. */
#pragma d option quiet

BEGIN
{
	exit(0);
}
