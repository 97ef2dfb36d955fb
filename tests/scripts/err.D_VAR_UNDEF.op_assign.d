BEGIN { z += printf("x"); }
/* @rows: var.op_assign */
