/* @sonde: -C */
/* D has no functions: a script's own is refused, also where those of headers are left out */
#include <sys/types.h>
int twice(int x) { return 2 * x; }
BEGIN { exit(0); }
/* @rows: cpp.headers */
