/* @rows: act.tracemem out.tracemem */
/* @sonde: */
/* @cpu: 0 */
/* a ruler and rows of 16; what is not printable is a point */
BEGIN
{
	this->p = (char *)alloca(20);
	bcopy("Hello, world\n", this->p, 13);
	this->p[19] = (char)0xff;
	tracemem(this->p, 20);
	exit(0);
}
