/* @status: 1 */
/* @stderr: invalid size */
BEGIN { bcopy("q", alloca(1), -1); exit(0); }
ERROR { exit(1); }
