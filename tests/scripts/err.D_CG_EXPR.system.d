BEGIN { x = system("true"); }
/* @rows: act.system expr.action_operand */
