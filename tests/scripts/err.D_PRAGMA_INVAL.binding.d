#pragma D binding "one" x
int x;

/* @rows: pragma.binding */
