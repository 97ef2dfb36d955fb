/* @arguments: 1 word */
BEGIN
{
	trace($1);
}

