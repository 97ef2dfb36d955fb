/* @status: 1 */
/* @stderr: invalid address */
BEGIN { b = (char *)alloca(9); b[16] = 1; exit(0); }
ERROR { exit(1); }
