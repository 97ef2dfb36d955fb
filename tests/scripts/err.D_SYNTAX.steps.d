/* Which of a statement's ++ and -- stand before and which behind an operand takes long to find out where there are many. */
BEGIN
{
	x = y-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- z;
}
