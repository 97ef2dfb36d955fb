/* @rows: fault.in_ERROR */
/* @stderr: 1 error in ERROR probe enabling */
/* a fault of an ERROR clause fires no ERROR: it is counted */
BEGIN { x = *(int *)8; }
ERROR { x = *(int *)16; }
ERROR { printf("still here\n"); exit(0); }
