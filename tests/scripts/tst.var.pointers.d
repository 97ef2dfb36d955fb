/* @rows: type.pointer type.pointer_difference expr.deref expr.incdec_pointer var.addrof */
/* @sonde: -q */
/* pointers into scratch memory */
BEGIN
{
	this->p = (int *)alloca(16);
	this->p[0] = 1;
	*(this->p + 1) = 2;
	this->q = this->p;
	this->q++;
	*this->q += 40;
	printf("%d %d %d\n", this->p[0], this->p[1], this->p[2]);
	printf("%d %d\n", this->q - this->p, &this->p[3] - this->p);
	exit(0);
}
