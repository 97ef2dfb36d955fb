/* @arguments: 99999999999999999999 */
BEGIN
{
	trace($1);
}

/* @rows: macro.number */
