/* @rows: act.tracemem out.tracemem */
/* a third argument shows less; negative or more than the second: all */
BEGIN
{
	this->p = (char *)alloca(4);
	bcopy("abcd", this->p, 4);
	tracemem(this->p, 4, 2);
	tracemem(this->p, 4, -1);
	tracemem(this->p, 4, 5);
	tracemem(this->p, 4, 0);
	exit(0);
}
