BEGIN
{
	x = count();
}

/* @rows: expr.action_operand */
