/* @rows: cast.same_struct */
/* A cast to the very same struct changes nothing. */

struct a1 { int p; };
struct b1 { int q; };
translator struct b1 < struct a1 v > { q = ((struct a1)v).p; };
struct a1 g1;

BEGIN
{
	g1.p = 6;
	trace(xlate <struct b1> (g1).q);
	exit(0);
}
