/* @status: 1 */
/* @stderr: invalid size */
BEGIN { b = (char *)alloca(8); bcopy("abcd", &b[6], 4); exit(0); }
ERROR { exit(1); }
