struct a1 { int p; };
struct b1 { int q; };
translator struct b1 < struct a1 *v > { q = v->p; };
struct a1 g1;
BEGIN { trace(xlate <struct b1> (g1)->q); exit(0); }
/* @rows: xlate.pointer_source */
