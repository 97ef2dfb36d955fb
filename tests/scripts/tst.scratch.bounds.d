/* @rows: mem.exact_bounds */
/* @sonde: -q */
/* @stderr: invalid address (0x */
/* A block ends where its last 8 bytes end. */

BEGIN { b = (char *)alloca(9); b[15] = 1; trace(b[15]); b[16] = 1; trace("no"); }
BEGIN { w = (long *)alloca(24); w[2] = 6; trace(w[2]); w[3] = 6; trace("no"); }
BEGIN { exit(0); }
ERROR { n++; printf("fault %d\n", n); }
