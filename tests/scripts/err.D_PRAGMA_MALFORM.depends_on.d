#pragma D depends_on provider
int x;

/* @rows: pragma.depends_on */
