int count;
/* @rows: var.builtin_redeclared */
