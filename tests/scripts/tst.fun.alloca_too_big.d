/* @rows: fun.alloca fault.noscratch */
/* @stderr: out of scratch space */
/* more than there is: out of scratch space */
BEGIN
{
	this->n = 100000000;
	this->p = alloca(this->n);
	printf("never seen\n");
}

ERROR { printf("%d\n", arg4 == DTRACEFLT_NOSCRATCH); exit(0); }
