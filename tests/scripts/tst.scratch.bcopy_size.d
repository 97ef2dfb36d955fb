/* @rows: mem.exact_bounds */
/* @sonde: -q */
/* @stderr: invalid size (0x */
/* A copy that begins inside a block and ends outside has an invalid size. */

BEGIN { b = (char *)alloca(8); bcopy("abcd", &b[6], 4); trace("no"); }
BEGIN { c = alloca(30); b = alloca(8); bcopy(b, c, 24); trace("no"); }
BEGIN { bcopy("q", alloca(1), -1); trace("no"); }
BEGIN { exit(0); }
ERROR { trace(arg4); }
