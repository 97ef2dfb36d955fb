/* @rows: fun.alloca fault.badaddr */
/* @stderr: invalid address */
/* a store outside of scratch memory faults */
BEGIN
{
	this->p = (int *)alloca(8);
	this->p[100000] = 1;
	printf("never seen\n");
}

BEGIN { printf("the next clause\n"); exit(0); }
