/* @rows: fun.bcopy fault.badaddr */
/* @stderr: invalid size */
/* so must all of what is read be there */
BEGIN
{
	this->to = alloca(100000);
	bcopy("short", this->to, 90000);
	printf("never seen\n");
}

BEGIN { printf("done\n"); exit(0); }
