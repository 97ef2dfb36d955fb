/* @sonde: -e */
struct b1 { int q; };
translator struct b1 < int v > { q = v; q = 3; };
BEGIN { exit(0); }
