#pragma D binding "1.0"
int x;

/* @rows: pragma.binding */
