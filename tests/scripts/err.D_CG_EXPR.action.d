BEGIN { x = printf("a"); }
/* @rows: expr.action_operand */
