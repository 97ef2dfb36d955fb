/* @rows: status.exit */
/* @sonde: -q */
/* @status: 5 */
/* the last exit() has the word */
BEGIN
{
	exit(3);
}

END
{
	exit(5);
}
