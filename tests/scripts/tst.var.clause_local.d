/* @rows: var.this var.this_declared */
/* @sonde: -q */
/* this-> is shared by the clauses of one firing, and zero at the next */
this int x;

BEGIN
{
	this->x = 5;
}

BEGIN
/this->x == 5/
{
	this->x++;
	printf("begin %d\n", this->x);
}

BEGIN
{
	exit(0);
}

END
{
	printf("end %d\n", this->x);
}
