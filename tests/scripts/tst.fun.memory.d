/* @rows: fun.alloca fun.bcopy expr.stringof expr.cast_string */
/* @sonde: -q */
/* scratch memory, copied */
BEGIN
{
	this->p = (char *)alloca(8);
	this->q = (char *)alloca(8);
	this->p[0] = 'h';
	this->p[1] = 'i';
	bcopy(this->p, this->q, 2);
	printf("[%s] [%s] %d\n", stringof(this->q), (string)(this->q + 1), this->q[2]);
	exit(0);
}
