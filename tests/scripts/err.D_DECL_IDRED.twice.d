int x;
char x;
/* @rows: var.redeclared */
