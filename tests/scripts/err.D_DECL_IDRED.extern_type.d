extern int x;
extern long x;

/* @rows: var.extern */
