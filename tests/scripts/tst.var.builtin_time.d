/* @rows: bv.timestamp bv.walltimestamp bv.vtimestamp */
/* @sonde: -q */
/* timestamp and vtimestamp stand still within a clause */
BEGIN
{
	this->t = timestamp;
	printf("%d %d\n", timestamp == this->t, timestamp > 0);
	printf("%d %d\n", walltimestamp < walltimestamp, walltimestamp > 1700000000000000000);
	printf("%d\n", vtimestamp == vtimestamp);
	exit(0);
}
