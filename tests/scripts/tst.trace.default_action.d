/* @rows: act.default act.no_default prog.no_body */
/* @sonde:  */
/* @cpu: 0 */
/* a clause without statements makes a row; one of assignments makes none */
BEGIN
{
}

BEGIN
{
	x = 1;
}

BEGIN
{
	exit(x - 1);
}
