/* @status: 1 */
/* @stderr: invalid size */
BEGIN { c = alloca(30); b = alloca(8); bcopy(b, c, 24); exit(0); }
ERROR { exit(1); }
