BEGIN { x = discard(1); }
/* @rows: act.discard expr.action_operand */
