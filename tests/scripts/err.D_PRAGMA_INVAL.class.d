#pragma D depends_on file x
int x;

/* @rows: pragma.depends_on */
