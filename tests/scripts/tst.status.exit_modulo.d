/* @rows: status.exit */
/* @status: 3 */
/* the status is the argument's low byte; the last exit counts */
BEGIN
{
	exit(7);
}

END
{
	exit(259);
}
