/* @rows: fun.bcopy fault.badaddr */
/* @stderr: invalid address */
/* the destination must be scratch */
BEGIN
{
	this->from = alloca(8);
	bcopy(this->from, (void *)"text", 4);
	printf("never seen\n");
}

BEGIN { printf("done\n"); exit(0); }
