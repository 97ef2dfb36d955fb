/* @status: 1 */
/* @stderr: invalid address */
BEGIN { w = (long *)alloca(24); w[3] = 6; exit(0); }
ERROR { exit(1); }
