BEGIN
{
	x = (@a = count());
}

/* @rows: expr.action_operand */
