/* @rows: xlate.member_twice */
/* A translator may define a member twice; the later definition holds. */

struct b1 { int q; };
translator struct b1 < int v > { q = v; q = 3; };

BEGIN { trace(xlate <struct b1> (8).q); exit(0); }
