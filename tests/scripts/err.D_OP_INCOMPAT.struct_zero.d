struct pr { int a; } one;
BEGIN { one = 0; }
/* @rows: var.delete_struct */
