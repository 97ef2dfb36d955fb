/* @arguments: 089 */
BEGIN
{
	trace($1);
}

/* @rows: macro.number */
